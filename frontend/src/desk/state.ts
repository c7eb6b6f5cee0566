// Where the desk is: what the modules that show, decide and send have in common.
import { find } from "../find";
import { Clock } from "./clock";
import type { Standing } from "./decision";
import { ItemView, type Card } from "./item";
import type { Outbox } from "./outbox";
import { assignment, desk, say, words } from "./page";
import { pastOf } from "./past";
import { Queue } from "./queue";

export const queue = new Queue<ItemView>(desk.dataset.states!);

/** What this window knows of documents before the server does. */
export const known = new Map<string, Standing>();

/** What can be undone. */
export const past = pastOf(assignment);

interface Now {
  /** The item on the screen. */
  view: ItemView;
  /** Another is on its way to it, and nothing can be decided. */
  isBusy: boolean;
  /** The topic was taken back: nothing more is decided or brought. */
  isClosed: boolean;
  /** Which item was wanted last, counted: one that comes later than the next was wanted is not shown. */
  turn: number;
  /** The place of an item that is wanted now, and is not here because the server is away. */
  lacking: number | undefined;
  /** Resolves when all that was decided is safe in this browser. */
  safe: Promise<unknown>;
  /** Resolves when the item on the screen is painted. What comes for later is put ready after that. */
  painted: Promise<unknown>;
  /** What is said when the server has everything; empty as long as there was nothing. */
  done: string;
  outbox: Outbox;
}

export const at: Now = {
  view: new ItemView(Number(desk.dataset.place), find("#items .item")),
  isBusy: false,
  isClosed: false,
  turn: 0,
  lacking: undefined,
  safe: Promise.resolve(),
  painted: Promise.resolve(),
  done: "",
  outbox: undefined as unknown as Outbox, // opened before any key or button is heard
};

export function close(): undefined {
  at.isClosed = true;
  say(words.closed!, "bad");
}

export const clock = new Clock((milliseconds) => (at.view.current.activeMs += milliseconds));

/** What happens to a candidate on the screen; the module of the page wires it. */
export const wired: {
  choose(word: string): void;
  changeComment(item: ItemView, card: Card): void;
  keyOf(word: string): string;
} = { choose: () => undefined, changeComment: () => undefined, keyOf: () => "" };
