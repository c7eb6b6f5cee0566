// When to think of a rest: after so much attention without a pause, and not again for an hour. It outlives the page.

const STRETCH_MS = 50 * 60_000;
const PAUSE_MS = 5 * 60_000;
const QUIET_MS = 60 * 60_000;
const KEPT = "assess.rest";

/** `attention`: milliseconds since the last pause; `last`: when it was paid; `told`: when a rest was spoken of. */
interface Stretch {
  attention: number;
  last: number;
  told: number;
}

const START: Stretch = { attention: 0, last: 0, told: 0 };

export class Rest {
  private stretch: Stretch = { ...START, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };

  /** Counts some attention; says whether it is time to speak of a rest. */
  add(milliseconds: number, now = Date.now()): boolean {
    const { last, told } = this.stretch;
    const attention = (now - last >= PAUSE_MS ? 0 : this.stretch.attention) + milliseconds;
    const isTime = attention >= STRETCH_MS && now - told >= QUIET_MS;
    this.stretch = { attention, last: now, told: isTime ? now : told };
    localStorage.setItem(KEPT, JSON.stringify(this.stretch));
    return isTime;
  }
}
