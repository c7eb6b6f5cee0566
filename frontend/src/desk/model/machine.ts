// Holds the state of the desk, and shows each new one.
import { reduce, type Action } from "./reducer";
import type { State } from "./state";

type Watcher = (state: State, before: State) => void;

export class Machine {
  private readonly watchers = new Set<Watcher>();
  private readonly actions: Action[] = [];

  /** `now`: the time in milliseconds. */
  constructor(
    public state: State,
    private readonly now: () => number,
  ) {}

  watch(watcher: Watcher): void {
    this.watchers.add(watcher);
  }

  /** What happens while an action is shown comes after it. */
  dispatch(action: Action): void {
    if (this.actions.push(action) > 1) return;
    for (; this.actions[0]; this.actions.shift()) {
      const before = this.state;
      try {
        this.state = reduce(before, { ...this.actions[0], now: this.now() });
        for (const watcher of this.watchers) watcher(this.state, before);
      } catch (error) {
        reportError(error); // what comes after it is done all the same
      }
    }
  }

  async until(isSo: (state: State) => boolean): Promise<void> {
    if (isSo(this.state)) return;
    await new Promise<void>((resolve) => {
      const check = (state: State): void => {
        if (isSo(state) && this.watchers.delete(check)) resolve();
      };
      this.watch(check);
    });
  }
}
