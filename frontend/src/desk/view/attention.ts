// Active time: the page is visible and the assessor moved, scrolled or typed within the last minute.

const IDLE_MS = 60_000;
const TICK_MS = 500;
const SIGNS = ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchstart"];

export class AttentionClock {
  private last = performance.now();
  private lastSign = performance.now();

  constructor(private readonly receive: (milliseconds: number) => void) {
    for (const sign of SIGNS) {
      document.addEventListener(sign, () => (this.lastSign = performance.now()), { capture: true, passive: true });
    }
    document.addEventListener("visibilitychange", () => this.tick(document.visibilityState === "hidden"));
    setInterval(() => this.tick(), TICK_MS);
  }

  /** Counts the time since the last tick. A computer that slept does not count: ticks are short. */
  tick(wasVisible = document.visibilityState === "visible"): void {
    const now = performance.now();
    if (wasVisible && now - this.lastSign <= IDLE_MS) this.receive(Math.min(now - this.last, 2 * TICK_MS));
    this.last = now;
  }
}
