// The state of the desk. Only the reducer changes it, in its own draft.
import type { Judgment, Message } from "./messages";
import type { Places } from "./places";

export interface Card {
  readonly instance: string;
  readonly contentHash: string;
  /** The grades and outcomes that it offers. */
  readonly words: readonly string[];
  readonly judgment: Judgment;
  /** What its comment field holds. */
  readonly text: string;
  /** What the assessor wrote and has not saved. */
  readonly draft?: string;
  /** What the server filled in for an open card. */
  readonly filledIn: string;
}

/** An answer, or the instances of a formula. `shownAt`: when it came on the screen. */
export interface Item {
  readonly place: number;
  readonly cards: readonly Card[];
  readonly shownAt: number;
}

/** What the status line says: a word of the page, then numbers as in "2 of 3", then a detail. */
export interface Said {
  readonly word: string;
  readonly manner: "" | "good" | "bad";
  readonly numbers?: readonly number[];
  readonly detail?: string;
}

/** What the assessor pressed or clicked, when, and which place was on the screen. `choice`: a grade or an outcome, empty
 * to take back; or "same", "undo", "defer". */
export interface Input {
  readonly since: number;
  readonly place: number;
  readonly choice: string;
}

/** The item that is wanted. `advance`: it is the next open one, and the server could not send those of `tried`. `wait`: it
 * is being fetched, and if it is late, the page says so. */
export interface Goal {
  readonly kind: "show" | "undo" | "advance" | "step";
  readonly place: number;
  readonly since: number;
  readonly by?: 1 | -1;
  readonly tried?: readonly number[];
  readonly wait?: "loading" | "late";
}

/** A decision made in this window: `draft` is the text in its field without the usual reasons. */
export interface PastDecision {
  readonly instance: string;
  readonly word: string;
  readonly comment: string;
  readonly draft: string;
  readonly before: Judgment;
}

/** What one key did: decisions about candidates of an item, or a deferral, on or off. */
export interface PastInput {
  readonly place: number;
  readonly decisions: readonly PastDecision[];
  readonly isDeferred?: boolean;
}

export type History = readonly PastInput[];

/** What the page has to do besides showing the state and storing messages. */
export type Effect =
  | { kind: "fetch"; place: number; wish: number }
  | { kind: "prefetch"; places: number[] }
  | { kind: "askWhy"; word: string; comment: string; isNeeded: boolean }
  | { kind: "arrive"; isNew: boolean }
  | { kind: "painted"; since: number }
  | { kind: "paint" | "bring" | "focus" | "reveal" | "leave" }
  | { kind: "perform"; action: string };

export type OutboxMode = "idle" | "sending" | "away" | "session";

/** How many messages wait, how many the server did not take, and how many of these the assessor has to be asked about. */
export interface OutboxReport {
  readonly waiting: number;
  readonly unkept: number;
  readonly unsettled: number;
  readonly mode: OutboxMode;
}

export interface State {
  readonly assignment: string;
  /** The places of the filtered list that the item was opened from. */
  readonly list?: readonly number[];
  /** The usual reasons. */
  readonly reasons: readonly string[];

  readonly places: Places;
  readonly items: ReadonlyMap<number, Item>;
  /** Places whose items are on their way. */
  readonly requested: ReadonlySet<number>;
  /** What this window knows of documents before the server does. */
  readonly known: ReadonlyMap<string, Judgment>;

  /** The item on the screen, and the instance of its current card. */
  readonly place: number;
  readonly current: string;
  /** The place that was painted last, and how many paints are on their way. */
  readonly painted: number;
  readonly paints: number;
  /** When the item was wanted that is on the screen and not painted. */
  readonly arrivingSince?: number;
  /** The first item was not in sight yet. */
  readonly isUnseen: boolean;
  /** The last card of the item was judged, and no other item has come. */
  readonly isPassed?: boolean;
  readonly isLeaving?: boolean;
  /** The topic was taken back: nothing more is decided or fetched. */
  readonly isClosed: boolean;
  /** Nothing can be decided until this is done. */
  readonly isBusy: boolean;
  /** Which way the assessor goes from place to place, judged or not. */
  readonly heading?: 1 | -1;

  readonly goal?: Goal;
  /** The number of the current wish: an answer to an earlier one is not shown. */
  readonly wish: number;
  /** What a goal came to, until the rest of its work is done. */
  readonly arrivedFor?: Goal["kind"];

  /** Inputs that wait for the one before. */
  readonly queued: readonly Input[];
  /** The box that asks why is open for this word; `typed` is the text of the field before. */
  readonly asking?: { readonly word: string; readonly typed: string };
  /** When the key of an outcome was pressed that the box has not asked about yet, and whether the card offers it. */
  readonly reasonKey?: { readonly since: number; readonly isOffered: boolean };

  readonly history: History;
  /** Messages on their way into the store, by key, with the state before. */
  readonly storing: ReadonlyMap<string, { readonly message: Message; readonly before: State }>;
  /** What is said when the server has everything, and now. */
  readonly done?: Said;
  readonly said: Said;
  /** A key was ignored since the last decision. */
  readonly isEarly?: boolean;
  /** Who has signed in instead of the person whose page this is. */
  readonly other: string;
  readonly outbox: OutboxReport;

  /** The time of the action, and what it has the page do. */
  readonly now: number;
  readonly effects: readonly Effect[];
}

export type Draft = { -readonly [Key in keyof State]: State[Key] } & { effects: Effect[] };

/** What the page gives. */
export type Start = Pick<State, "assignment" | "list" | "reasons" | "place"> & {
  states: string;
  deferred: readonly number[];
};

export const NOTHING_SAID: Said = { word: "", manner: "" };
/** The report of the outbox, if it has something to say. */
export const REPORT = "report";

export const initialState = ({ states, deferred, ...start }: Start): State => ({
  ...start,
  places: { states, deferred: new Set(deferred), absent: new Set() },
  items: new Map(),
  requested: new Set(),
  known: new Map(),
  current: "",
  painted: start.place,
  paints: 0,
  isUnseen: true,
  isClosed: false,
  isBusy: false,
  wish: 0,
  queued: [],
  history: [],
  storing: new Map(),
  said: NOTHING_SAID,
  other: "",
  outbox: { waiting: 0, unkept: 0, unsettled: 0, mode: "idle" },
  now: 0,
  effects: [],
});
