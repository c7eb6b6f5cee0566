// What the desk is at: one thing at a time, and what was wanted last.
import { at } from "./state";
import { lack, tellEarly } from "./telling";

/** What was wanted, and is not here yet, is no longer wanted, but for `place`. */
export function stay(place?: number): number {
  if (at.lacking !== place) lack();
  return ++at.turn;
}

function setBusy(isBusy: boolean): void {
  at.isBusy = isBusy;
  document.documentElement.toggleAttribute("data-busy", isBusy);
}

let last = 0;

/** Keys that wait for their turn, one after the other. */
let line: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** What a key or a click wants at `since`. Where keys come more quickly than the desk is done with each, one that is meant
 * for what is on the screen waits for those before it. One that came before the next item was on the screen, or before a
 * box that asks for something, does nothing, and that is said; `isAnywhere`: it does not depend on what is there. */
export async function take(work: () => Promise<void>, since = performance.now(), isAnywhere = false): Promise<void> {
  const { view } = at;
  const isSeen = (): boolean => isAnywhere || (at.seen === view && at.view === view && at.passed !== view);
  if (!at.isBusy && !waiting) return work();
  if (!isSeen()) return tellEarly();
  waiting++;
  line = Promise.allSettled([line, at.work]).then(() => (isSeen() && at.asked <= since ? work() : tellEarly()));
  await line.finally(() => waiting--);
}

/** Does something during which nothing else can be decided; not at all while another such thing is going on. */
export async function alone(work: () => Promise<void>): Promise<void> {
  if (at.isBusy || at.isClosed) return;
  stay();
  const mine = ++last;
  setBusy(true);
  try {
    await (at.work = work());
  } finally {
    if (mine === last) setBusy(false);
  }
}

/** What is going on waits for the server: something else can be decided meanwhile. */
export const letGo = (): void => setBusy(false);
