// Sends what waits, one after the other, until the server has it: again after a failure, later each time.
import type { Decision } from "./decision";
import type { Answer } from "./server";
import type { Store, Waiting } from "./store";

export type State = "idle" | "sending" | "away" | "session";

export interface Outgoing {
  send(decision: Decision): Promise<Answer>;
  /** The server has taken it, or says what stands in its way. */
  answered(decision: Decision, answer: Answer): void;
  /** How many wait, how many of these have a problem, and what the sender is doing. */
  changed(waiting: number, problems: number, state: State): void;
  /** One sender at a time, whatever windows are open. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  sleep(milliseconds: number): Promise<void>;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 20_000;

export class Outbox {
  private running: Promise<void> | undefined;
  private again = false;
  private state: State = "idle";

  constructor(
    private readonly store: Store,
    private readonly out: Outgoing,
  ) {}

  /** Resolves when the decision is safe in this browser. */
  async add(decision: Decision): Promise<void> {
    await this.store.add(decision);
    void this.tell();
    this.wake();
  }

  waiting(): Promise<Waiting[]> {
    return this.store.all();
  }

  /** A decision that the server would not take is dropped, or goes once more with what the assessor knows now. */
  async settle(waiting: Waiting, again?: Decision): Promise<void> {
    if (again) await this.store.put({ id: waiting.id, decision: again });
    else await this.store.remove(waiting.id);
    await this.tell();
    this.wake();
  }

  /** Sends as long as something waits. */
  wake(): void {
    this.again = true;
    this.running ??= this.out
      .alone(() => this.sendAll())
      .finally(() => {
        this.running = undefined;
        if (this.again && this.state === "idle") this.wake();
      });
  }

  private async sendAll(): Promise<void> {
    let pause = FIRST_PAUSE;
    for (;;) {
      this.again = false;
      const next = (await this.store.all()).find((one) => one.problem === undefined);
      if (!next) return this.enter("idle");
      await this.enter(this.state === "away" ? "away" : "sending");
      const answer = await this.out.send(next.decision);
      if (answer.kind === "session") return this.enter("session");
      if (answer.kind === "away") {
        await this.enter("away");
        await this.out.sleep(pause * (0.75 + Math.random() / 2));
        pause = Math.min(2 * pause, LONGEST_PAUSE);
        continue;
      }
      pause = FIRST_PAUSE;
      if (answer.kind === "kept") await this.store.remove(next.id);
      else await this.store.put({ ...next, problem: answer.kind === "refused" ? answer.detail : "conflict" });
      this.state = "sending";
      this.out.answered(next.decision, answer);
    }
  }

  private async enter(state: State): Promise<void> {
    this.state = state;
    await this.tell();
  }

  private async tell(): Promise<void> {
    const waiting = await this.store.all();
    const problems = waiting.filter((one) => one.problem !== undefined).length;
    this.out.changed(waiting.length - problems, problems, this.state);
  }
}
