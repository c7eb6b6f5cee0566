// Sends what waits, one after the other, until the server has it: again after a failure, later each time.
import { isDecision, type Message, type Standing } from "./decision";
import type { Answer } from "./server";
import type { Store, Waiting } from "./store";

export type State = "idle" | "sending" | "away" | "session";

export interface Outgoing {
  send(message: Message): Promise<Answer>;
  /** The server has taken it, or says what stands in its way. */
  answered(message: Message, answer: Answer): void;
  /** What waits, what the sender is doing, and how many more are on their way into the store. */
  changed(waiting: Waiting[], state: State, adding: number): void;
  /** One sender at a time, whatever windows are open. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  sleep(milliseconds: number): Promise<void>;
  /** Whether the server answers other requests about the same assignment. */
  isUp(message: Message): Promise<boolean>;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
/** So often in a row the server may fail at a message before its assessor is asked what to do with it. */
const MOST_FAILURES = 5;

/** What the server would not take is settled when it has a later decision about the same document. */
const isSettledBy = ({ id, message, problem }: Waiting, later: Waiting): boolean =>
  problem !== undefined &&
  id < later.id &&
  isDecision(message) &&
  isDecision(later.message) &&
  message.assignment === later.message.assignment &&
  message.instance === later.message.instance;

export class Outbox {
  private running: Promise<void> | undefined;
  private again = false;
  private state: State = "idle";
  /** How many messages are on their way into the store. */
  adding = 0;

  constructor(
    private readonly store: Store,
    private readonly out: Outgoing,
  ) {}

  /** Resolves when it is safe in this browser. */
  async add(message: Message): Promise<void> {
    this.adding++;
    await this.store.add(message).finally(() => this.adding--);
    void this.tell();
    this.wake();
  }

  waiting(): Promise<Waiting[]> {
    return this.store.all();
  }

  /** What the server would not take is dropped, or goes once more as the assessor wants it now. Then `standing` holds. */
  async settle({ id, message }: Waiting, standing: Standing, again?: Message): Promise<void> {
    if (again) await this.store.put({ id, message: again });
    else await this.store.remove(id);
    this.out.answered(message, { kind: "kept", standing });
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
    let [pause, failures] = [FIRST_PAUSE, 0];
    for (;;) {
      this.again = false;
      const all = await this.store.all();
      const next = all.find((one) => one.problem === undefined);
      if (!next) return this.enter("idle");
      await this.enter(this.state === "away" ? "away" : "sending");
      let answer = await this.out.send(next.message);
      failures = answer.kind === "failed" ? failures + 1 : 0;
      const isHopeless = failures >= MOST_FAILURES && (await this.out.isUp(next.message));
      if (isHopeless) answer = { kind: "refused", detail: "500" };
      if (answer.kind === "session") return this.enter("session");
      if (answer.kind === "away" || answer.kind === "failed") {
        await this.enter("away");
        await this.out.sleep(pause * (0.75 + Math.random() / 2));
        pause = Math.min(2 * pause, LONGEST_PAUSE);
        continue;
      }
      [pause, failures] = [FIRST_PAUSE, 0];
      if (answer.kind === "kept") await this.forget([next, ...all.filter((one) => isSettledBy(one, next))]);
      else await this.store.put({ ...next, problem: answer.kind === "refused" ? answer.detail : "conflict" });
      this.state = "sending";
      this.out.answered(next.message, answer);
    }
  }

  private async forget(settled: Waiting[]): Promise<void> {
    for (const { id } of settled) await this.store.remove(id);
  }

  private async enter(state: State): Promise<void> {
    this.state = state;
    await this.tell();
  }

  async tell(): Promise<void> {
    this.out.changed(await this.store.all(), this.state, this.adding);
  }
}
