// Where the desk is: what the modules that show, decide and send have in common.
import { Clock } from "./clock";
import type { Standing } from "./decision";
import { ItemView, type Card } from "./item";
import type { Outbox } from "./outbox";
import { desk, find } from "./page";
import { Queue } from "./queue";

export const queue = new Queue<ItemView>(desk.dataset.states!);

/** What this window knows of documents before the server does. */
export const known = new Map<string, Standing>();

/** What can be undone. */
export const past: { place: number; instance: string; before: Standing }[] = [];

/** `view`: the item on the screen. `isBusy`: another is on its way to it, and nothing can be decided. `safe` resolves
 * when all that was decided is safe in this browser. `isUndone`: the last decision took one back. */
export const at: { view: ItemView; isBusy: boolean; safe: Promise<unknown>; isUndone: boolean; outbox: Outbox } = {
  view: new ItemView(Number(desk.dataset.place), find("#items .item")),
  isBusy: false,
  safe: Promise.resolve(),
  isUndone: false,
  outbox: undefined as unknown as Outbox, // opened before anything can be decided
};

/** Does something during which nothing else can be decided; not at all while another such thing is going on. */
export async function alone(work: () => Promise<void>): Promise<void> {
  if (at.isBusy) return;
  at.isBusy = true;
  document.documentElement.dataset.busy = "";
  try {
    await work();
  } finally {
    at.isBusy = false;
    delete document.documentElement.dataset.busy;
  }
}

export const clock = new Clock((milliseconds) => (at.view.current.activeMs += milliseconds));

/** What happens to a candidate on the screen; the module of the page wires it. */
export const wired: {
  choose(word: string): void;
  changeComment(card: Card): void;
  keyOf(word: string): string;
} = { choose: () => undefined, changeComment: () => undefined, keyOf: () => "" };
