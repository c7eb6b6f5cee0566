// The state of the desk. Only the reducer changes it, in its own draft.
import type { Decision, Deferral, Judgment, Message } from "./messages";
import type { History } from "./history";
import type { Places } from "./places";

/** One candidate. */
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
  /** What the field held when it came, and whether the server filled it in. */
  readonly initial: string;
  readonly isFilledIn: boolean;
}

/** An answer, or the instances of a formula. `shownAt`: when it came on the screen. */
export interface Item {
  readonly place: number;
  readonly cards: readonly Card[];
  readonly shownAt: number;
}

/** What the status line says: a word of the page, with what completes it. */
export interface Said {
  readonly word: string;
  readonly manner: "" | "good" | "bad";
  /** As in "2 of 3". */
  readonly numbers?: readonly number[];
  /** Fills the gap in the words. */
  readonly name?: string;
  readonly detail?: string;
}

/** What the assessor pressed or clicked, at what time, and which place was on the screen. */
export type Input = { readonly since: number; readonly place: number } & (
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "same" | "undo" | "defer" }
);

/** Which item is wanted. `advance`: the next open one; `late` is the first that the server has not sent yet. `pause`:
 * milliseconds till the server is asked again. */
export type Goal = { readonly since: number; readonly pause?: number } & (
  | { readonly kind: "show" | "undo"; readonly place: number }
  | { readonly kind: "step"; readonly place: number; readonly by: 1 | -1 }
  | { readonly kind: "advance"; readonly tried: readonly number[]; readonly late?: number }
);

/** What the page has to do besides showing the state. */
export type Effect =
  | { kind: "keep"; message: Message }
  | { kind: "fetch"; place: number; wish: number }
  | { kind: "retry"; wish: number; pause: number }
  | { kind: "prefetch"; places: number[] }
  | { kind: "signIn"; wish: number }
  | { kind: "askWhy"; word: string; comment: string; isNeeded: boolean }
  | { kind: "arrive"; isNew: boolean }
  | { kind: "paint"; frame: number }
  | { kind: "painted"; place: number; since: number }
  | { kind: "bring" | "focus" | "reveal" | "closeAgain" | "leave" }
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
  /** New keys begin with it; then they are counted. */
  readonly keyPrefix: string;
  readonly keyCount: number;

  readonly places: Places;
  readonly items: ReadonlyMap<number, Item>;
  /** Places whose items are on their way. */
  readonly requested: ReadonlySet<number>;
  /** What this window knows of documents before the server does. */
  readonly known: ReadonlyMap<string, Judgment>;

  /** The item on the screen, and the instance of its current card. */
  readonly place: number;
  readonly current: string;
  /** When what is on the screen was wanted. */
  readonly since: number;
  /** The place that was painted last; frames that were wanted, and painted. */
  readonly painted: number;
  readonly frames: number;
  readonly paintedFrames: number;
  readonly isArriving?: boolean;
  /** The first item was not in sight yet. */
  readonly isUnseen: boolean;
  /** The last card of the item was judged, and no other item has come. */
  readonly isPassed?: boolean;
  /** On the way to the list. */
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
  /** The place of an item that is not here yet, and whether the page says so. */
  readonly awaited?: { readonly place: number; readonly isShown: boolean };
  /** What a goal came to, until the rest of its work is done. */
  readonly arrivedFor?: Goal["kind"];

  /** Inputs that wait for the one before. */
  readonly queued: readonly Input[];
  /** The box that asks why is open for this word; `typed` is the text of the field before. */
  readonly asking?: { readonly word: string; readonly typed: string };
  /** When a box asked last. */
  readonly askedAt: number;
  /** When a key that asks for a reason was pressed last, and what is said of a number right after it. */
  readonly reasonKey: { readonly since: number; readonly notice: "early" | "no_match" };

  readonly history: History;
  /** Messages on their way into the store, by key, with what undoes them. */
  readonly storing: ReadonlyMap<string, Reversal>;
  /** What is said when the current work is done; when the server has everything; now. */
  readonly afterwards?: Said;
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

export type Reversal =
  | { message: Decision; judgment: Judgment; text: string }
  | { message: Deferral; isDeferred: boolean };

export type Draft = { -readonly [Key in keyof State]: State[Key] } & { effects: Effect[] };

/** What the page gives. */
export type Start = Pick<State, "assignment" | "list" | "reasons" | "keyPrefix" | "place"> & {
  states: string;
  deferred: readonly number[];
};

export const NOTHING_SAID: Said = { word: "", manner: "" };
/** The report of the outbox, if it has something to say. */
export const REPORT = "report";

export const initialState = ({ states, deferred, ...start }: Start): State => ({
  ...start,
  keyCount: 0,
  places: { states, deferred: new Set(deferred), absent: new Set() },
  items: new Map(),
  requested: new Set(),
  known: new Map(),
  current: "",
  since: 0,
  painted: start.place,
  frames: 0,
  paintedFrames: 0,
  isUnseen: true,
  isClosed: false,
  isBusy: false,
  wish: 0,
  queued: [],
  askedAt: 0,
  reasonKey: { since: -Infinity, notice: "early" },
  history: [],
  storing: new Map(),
  said: NOTHING_SAID,
  other: "",
  outbox: { waiting: 0, unkept: 0, unsettled: 0, mode: "idle" },
  now: 0,
  effects: [],
});
