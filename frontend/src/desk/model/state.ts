// The state of the desk. Only the reducer changes it, in its own draft.
import type { Judgment, Message } from "./messages";
import type { Places } from "./places";
import type { Scale } from "./scale";

export interface Card {
  readonly instance: string;
  /** The id of its post; empty if it has none. */
  readonly post: string;
  readonly contentHash: string;
  /** The grades and outcomes that it offers. */
  readonly words: readonly string[];
  readonly judgment: Judgment;
  /** What its comment field holds. */
  readonly text: string;
  /** What is marked in the document. */
  readonly passage: string;
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

/** "kept": safe in this browser; "good": the server has it, too; "waiting": something is not done yet, or was ignored;
 * "bad": the assessor has to do something. */
type Manner = "" | "kept" | "good" | "waiting" | "bad";

/** What was decided about which documents of a place: of one that has several, their numbers. */
export interface Decided {
  readonly place: number;
  readonly word: string;
  readonly numbers: readonly number[];
  readonly of: number;
}

/** What the status line says: a word of the page, then numbers as in "2 of 3", then a detail. */
export interface Said {
  readonly word: string;
  readonly manner: Manner;
  readonly numbers?: readonly number[];
  readonly detail?: string;
  readonly decided?: Decided;
}

/** What the assessor pressed or clicked, when, and which place was on the screen. `choice`: a grade or an outcome,
 * empty to take back; or "same", "undo", "defer". */
export interface Input {
  readonly since: number;
  readonly place: number;
  readonly choice: string;
}

/** The item that is wanted. `advance`: it is the next open one, and the server could not send those of `tried`.
 * `wait`: it is being fetched, and if it is late, the page says so. */
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

/** What one key did: decisions about documents of an item, or a deferral, on or off. */
interface PastInput {
  readonly place: number;
  readonly decisions: readonly PastDecision[];
  readonly isDeferred?: boolean;
}

export type History = readonly PastInput[];

/** What the page has to do besides showing the state and storing messages. */
export type Effect =
  | { kind: "fetch"; place: number; wish: number }
  | { kind: "prefetch" | "stock" | "mount"; places: number[] }
  | { kind: "askWhy"; word: string; comment: string; isNeeded: boolean }
  | { kind: "arrive"; isNew: boolean }
  | { kind: "painted"; since: number }
  | { kind: "paint" | "bring" | "focus" | "reveal" | "leave" | "calm" }
  | { kind: "perform"; command: string };

export type OutboxMode = "idle" | "sending" | "away" | "session";

/** How many messages wait, how many the server did not take, and about how many of these the assessor is asked. */
export interface OutboxReport {
  readonly waiting: number;
  readonly unkept: number;
  readonly unsettled: number;
  readonly mode: OutboxMode;
}

/** What the page gives. `list`: the places of the filtered list that the item was opened from. */
export interface Page {
  readonly assignment: string;
  readonly states: string;
  readonly deferred: readonly number[];
  readonly place: number;
  readonly list?: readonly number[];
  readonly scale: Scale;
  readonly reasons: readonly string[];
  /** For so many milliseconds after a new item is in view, a key does not judge it: it was meant for the one before. */
  readonly early: number;
  /** So many of the next items are ready, and so many more in stock. */
  readonly ahead: number;
  readonly stored: number;
  /** An expert settles disagreements here: each grade has its reason. */
  readonly isSettling: boolean;
}

export const NOTHING_SAID: Said = { word: "", manner: "" };
/** The report of the outbox, if it has something to say. */
export const REPORT = "report";

export class Draft {
  places: Places;
  items: ReadonlyMap<number, Item> = new Map();
  /** Places whose items are here as the server sent them, be they on the page or not. */
  stock: ReadonlySet<number> = new Set();
  /** Places whose items are on their way. */
  requested: ReadonlySet<number> = new Set();
  /** What this window knows of documents before the server does. */
  known: ReadonlyMap<string, Judgment> = new Map();

  /** By post, what was decided here last about a formula in it. */
  inPosts: ReadonlyMap<string, { readonly place: number; readonly word: string }> = new Map();

  /** The item on the screen, and the instance of its current card. */
  place: number;
  current = "";
  /** The place that was painted last, and how many paints are on their way. */
  painted: number;
  paints = 0;
  /** When the item came into view; the first one of a page has been seen while it loaded. */
  paintedAt = -Infinity;
  /** The last button of a document that was pressed. */
  clicked?: { readonly instance: string; readonly word: string; readonly since: number };
  /** That a key means nothing here has been said. */
  isUnknownTold = false;
  /** When the item was wanted that is on the screen and not painted. */
  arrivingSince?: number;
  /** The first item was not in sight yet. */
  isUnseen = true;
  /** The document without a text for which a grade was pressed once. */
  warnedOf?: string;
  /** Instances of the item on the screen that another window judged while they were open here. */
  judgedElsewhere: ReadonlySet<string> = new Set();
  /** The last card of the item was judged, and no other item has come. */
  isPassed = false;
  isLeaving = false;
  /** The topic was taken back: nothing more is decided or fetched. */
  isClosed = false;
  /** Nothing can be decided until this is done. */
  isBusy = false;
  /** Which way the assessor goes from place to place, judged or not. */
  heading?: 1 | -1;

  goal?: Goal;
  /** The number of the current wish: an answer to an earlier one is not shown. */
  wish = 0;
  /** What a goal came to, until the rest of its work is done. */
  arrivedFor?: Goal["kind"];

  queued: readonly Input[] = [];
  /** The box that asks why is open for this word; `typed` is the text of the field before. */
  asking?: { readonly word: string; readonly typed: string };
  /** When the key of an outcome was pressed that the box has not asked about yet, and whether the card offers it. */
  reasonKey?: { readonly since: number; readonly isOffered: boolean };

  history: History = [];
  /** Messages on their way into the store, by key, with the state before. */
  storing: ReadonlyMap<string, { readonly message: Message; readonly before: State }> = new Map();
  /** What is said when the server has everything, and now. */
  done?: Said;
  said = NOTHING_SAID;
  /** A key was ignored since the last decision. */
  isEarly = false;
  /** Who has signed in instead of the person whose page this is. */
  other = "";
  outbox: OutboxReport = { waiting: 0, unkept: 0, unsettled: 0, mode: "idle" };

  /** The time of the action, and what it has the page do. */
  now = 0;
  effects: Effect[] = [];

  constructor(readonly page: Page) {
    this.places = { states: page.states, deferred: new Set(page.deferred), absent: new Set() };
    this.place = this.painted = page.place;
  }
}

export type State = Readonly<Draft>;
