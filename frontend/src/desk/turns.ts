// What the desk is at: one thing at a time, and what was wanted last.
import { at } from "./state";
import { lack } from "./telling";

/** What was wanted, and is not here yet, is no longer wanted. */
export function stay(): number {
  if (at.lacking !== undefined) lack();
  return ++at.turn;
}

function setBusy(isBusy: boolean): void {
  at.isBusy = isBusy;
  document.documentElement.toggleAttribute("data-busy", isBusy);
}

let last = 0;

/** Does something during which nothing else can be decided; not at all while another such thing is going on. */
export async function alone(work: () => Promise<void>): Promise<void> {
  if (at.isBusy || at.isClosed) return;
  stay();
  const mine = ++last;
  setBusy(true);
  try {
    await work();
  } finally {
    if (mine === last) setBusy(false);
  }
}

/** What is going on waits for the server: something else can be decided meanwhile. */
export const letGo = (): void => setBusy(false);
