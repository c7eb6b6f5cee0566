// Active time: the page is visible and the assessor moved, scrolled or typed within the last minute.

const IDLE_MS = 60_000;
const TICK_MS = 500;
const SIGNS = ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchstart"];

export class AttentionClock {
  private last = performance.now();
  private lastSign = performance.now();

  constructor(private readonly receive: (milliseconds: number) => unknown) {
    for (const sign of SIGNS) {
      document.addEventListener(sign, () => (this.lastSign = performance.now()), { capture: true, passive: true });
    }
    document.addEventListener("visibilitychange", () => this.tick(document.visibilityState === "hidden"));
    setInterval(() => this.tick(), TICK_MS);
  }

  /** Counts the time since the last tick, and returns the time now. A computer that slept does not count: ticks are short. */
  tick(wasVisible = document.visibilityState === "visible"): number {
    const now = performance.now();
    if (wasVisible && now - this.lastSign <= IDLE_MS) this.receive(Math.min(now - this.last, 2 * TICK_MS));
    return (this.last = now);
  }
}

/** Attention to documents since their last decision. `current`: the instance of the current one. */
export class Attention extends AttentionClock {
  private readonly spent = new Map<string, number>();

  constructor(current: () => string) {
    super((milliseconds) => this.spent.set(current(), (this.spent.get(current()) ?? 0) + milliseconds));
  }

  /** The milliseconds for a document, which is counted from 0 again. */
  take(instance: string): number {
    const spent = this.spent.get(instance) ?? 0;
    this.spent.delete(instance);
    return Math.round(spent);
  }
}
