// Counts attention, with that of other windows, and suggests a rest. It outlives the page.
import { attend, type Stretch } from "../model/rest";

const WRITE_MS = 10_000;
const NAME = "assess.rest";

export class RestTimer {
  private unwritten = 0;

  /** Whether a rest should be suggested now. */
  add(milliseconds: number): boolean {
    this.unwritten += milliseconds;
    if (this.unwritten < WRITE_MS) return false;
    const now = Date.now();
    const before = JSON.parse(localStorage.getItem(NAME) ?? "{}") as Partial<Stretch>;
    const stretch = attend(this.unwritten, now, before);
    this.unwritten = 0;
    localStorage.setItem(NAME, JSON.stringify(stretch));
    return stretch.suggested === now;
  }
}
