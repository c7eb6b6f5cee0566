// Holds the state of the desk, and shows each new one.
import { reduce, type Action } from "./reducer";
import type { State } from "./state";

type Watcher = (state: State, before: State) => void;

export class Machine {
  private watchers: Watcher[] = [];
  private readonly actions: Action[] = [];

  /** `now`: the time in milliseconds. */
  constructor(
    public state: State,
    private readonly now: () => number,
  ) {}

  watch(watcher: Watcher): void {
    this.watchers = [...this.watchers, watcher];
  }

  /** What happens while an action is shown comes after it. */
  dispatch(action: Action): void {
    if (this.actions.push(action) > 1) return;
    for (; this.actions[0]; this.actions.shift()) {
      try {
        this.run(this.actions[0]);
      } catch (error) {
        reportError(error); // what comes after it is done all the same
      }
    }
  }

  private run(action: Action): void {
    const before = this.state;
    this.state = reduce(before, { ...action, now: this.now() });
    for (const watcher of this.watchers) watcher(this.state, before);
  }

  /** Resolves when the state is so. */
  until(isSo: (state: State) => boolean): Promise<void> {
    if (isSo(this.state)) return Promise.resolve();
    return new Promise((resolve) => {
      const check = (state: State): void => {
        if (!isSo(state)) return;
        this.watchers = this.watchers.filter((watcher) => watcher !== check);
        resolve();
      };
      this.watch(check);
    });
  }
}
