// Where the desk is: what the modules that show, decide and send have in common.
import { find } from "../find";
import { Clock } from "./clock";
import type { Standing } from "./decision";
import { ItemView, type Card } from "./item";
import type { Outbox } from "./outbox";
import { assignment, desk, placesIn, say, words } from "./page";
import { pastOf } from "./past";
import { Queue } from "./queue";

export const queue = new Queue<ItemView>(desk.dataset.states!, placesIn(desk.dataset.deferred!));

/** What this window knows of documents before the server does. */
export const known = new Map<string, Standing>();

/** What can be undone. */
export const past = pastOf(assignment);

interface Now {
  /** The item on the screen. */
  view: ItemView;
  /** The item that was painted last. */
  seen: ItemView;
  /** Another is on its way to it, and nothing can be decided. */
  isBusy: boolean;
  /** What the desk is busy with. */
  work: Promise<void>;
  /** When a box asked for something last. */
  asked: number;
  /** The topic was taken back: nothing more is decided or brought. */
  isClosed: boolean;
  /** Which way the assessor goes from place to place, judged or not; undefined after a decision that led on. */
  heading: 1 | -1 | undefined;
  /** Which item was wanted last, counted: one that comes later than the next was wanted is not shown. */
  turn: number;
  /** The place of an item that is wanted now, and is not here yet. */
  lacking: number | undefined;
  /** The item whose last candidate was judged, as long as nothing else has come on the screen. */
  passed: ItemView | undefined;
  /** Resolves when all that was decided is safe in this browser. */
  safe: Promise<unknown>;
  /** Resolves when the item on the screen is painted. What comes for later is put ready after that. */
  painted: Promise<unknown>;
  /** What is said when the server has everything; empty as long as there was nothing. */
  done: string;
  /** A key came before the next item, since the last decision. */
  isEarly: boolean;
  outbox: Outbox;
}

const first = new ItemView(Number(desk.dataset.place), find("#items .item"));

export const at: Now = {
  view: first,
  seen: first,
  isBusy: false,
  work: Promise.resolve(),
  asked: 0,
  isClosed: false,
  heading: undefined,
  turn: 0,
  lacking: undefined,
  passed: undefined,
  safe: Promise.resolve(),
  painted: Promise.resolve(),
  done: "",
  isEarly: false,
  outbox: undefined as unknown as Outbox, // opened before any key or button is heard
};

/** The topic was taken back: what is here can be read, and the way leads home. */
export function close(): undefined {
  at.isClosed = true;
  for (const item of [at.view, ...queue.all]) item.disable();
  for (const button of document.querySelectorAll<HTMLButtonElement>("#undo, #defer button")) button.disabled = true;
  find("#home").hidden = false;
  say(words.closed!, "bad");
}

export const clock = new Clock((milliseconds) => (at.view.current.activeMs += milliseconds));

/** What happens to a candidate on the screen; the module of the page wires it. */
export const wired: {
  choose(word: string): void;
  changeComment(item: ItemView, card: Card): void;
  keyOf(word: string): string;
} = { choose: () => undefined, changeComment: () => undefined, keyOf: () => "" };
