// When to suggest a rest: after so much attention in all windows without a pause, and then not for an hour.
import { recallJson, remember } from "../storage/remembered";

const STRETCH_MS = 50 * 60_000;
const PAUSE_MS = 5 * 60_000;
const QUIET_MS = 60 * 60_000;
const WRITE_MS = 10_000;
const NAME = "assess.rest";
const NOTHING = { attention: 0, last: 0, suggested: 0 };
const isCount = (value: typeof NOTHING): boolean =>
  [value.attention, value.last, value.suggested].every((part) => typeof part === "number");

export class RestTimer {
  private unwritten = 0;

  /** Counts attention, and returns whether a rest should be suggested now. */
  add(milliseconds: number): boolean {
    this.unwritten += milliseconds;
    if (this.unwritten < WRITE_MS) return false;
    const now = Date.now();
    const before = recallJson(NAME, NOTHING, isCount);
    const attention = (now - before.last >= PAUSE_MS ? 0 : before.attention) + this.unwritten;
    const isTime = attention >= STRETCH_MS && now - before.suggested >= QUIET_MS;
    const suggested = isTime ? now : before.suggested;
    this.unwritten = 0;
    remember(NAME, JSON.stringify({ attention, last: now, suggested }));
    return isTime;
  }
}
