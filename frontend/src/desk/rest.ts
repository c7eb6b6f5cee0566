// When to think of a rest: after so much attention without a pause, and not again for an hour. It outlives the page.

const STRETCH_MS = 50 * 60_000;
const PAUSE_MS = 5 * 60_000;
const QUIET_MS = 60 * 60_000;
const WRITE_MS = 10_000;
const KEPT = "assess.rest";

/** `attention`: milliseconds since the last pause; `last`: when it was paid; `told`: when a rest was spoken of. */
interface Stretch {
  attention: number;
  last: number;
  told: number;
}

const START: Stretch = { attention: 0, last: 0, told: 0 };

export class Rest {
  private unwritten = 0;

  /** Counts some attention, with that of other windows; says whether it is time to speak of a rest. */
  add(milliseconds: number, now = Date.now()): boolean {
    this.unwritten += milliseconds;
    if (this.unwritten < WRITE_MS) return false;
    const { attention: before, last, told }: Stretch = { ...START, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
    const attention = (now - last >= PAUSE_MS ? 0 : before) + this.unwritten;
    this.unwritten = 0;
    const isTime = attention >= STRETCH_MS && now - told >= QUIET_MS;
    const stretch: Stretch = { attention, last: now, told: isTime ? now : told };
    localStorage.setItem(KEPT, JSON.stringify(stretch));
    return isTime;
  }
}
