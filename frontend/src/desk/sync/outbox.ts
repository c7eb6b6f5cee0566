// Sends what waits, one after the other, until the server has it: again after a failure, later each time.
import { isDecision, type Judgment, type Message } from "../model/messages";
import type { OutboxMode } from "../model/state";
import { pauses, type SendResult } from "./server";
import type { Store, Waiting } from "./store";

export interface Outgoing {
  send(message: Message): Promise<SendResult>;
  /** The server has taken it, or says why not. */
  answered(message: Message, answer: SendResult): void;
  /** What waits, and what the sender is doing. */
  changed(waiting: Waiting[], mode: OutboxMode): void;
  /** One sender at a time, in all windows. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  sleep(milliseconds: number): Promise<void>;
  /** Whether the server answers other requests about the same assignment. */
  isUp(message: Message): Promise<boolean>;
}

/** So often in a row the server may fail at a message before its assessor is asked about it. */
const MOST_FAILURES = 5;

/** A message that the server did not take is settled by a later decision about the same document. */
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
  private mode: OutboxMode = "idle";

  constructor(
    private readonly store: Store,
    private readonly out: Outgoing,
  ) {}

  /** Resolves when they are safe in this browser; if it fails, none is. */
  async add(...messages: Message[]): Promise<void> {
    await this.store.add(messages);
    void this.report();
    this.wake();
  }

  waiting(): Promise<Waiting[]> {
    return this.store.all();
  }

  /** A message that the server did not take is dropped, or sent again as the assessor wants it now. Then `judgment`
   * holds. */
  async settle({ id, message }: Waiting, judgment: Judgment, again?: Message): Promise<void> {
    if (again) await this.store.put({ id, message: again });
    else await this.store.remove(id);
    this.out.answered(message, { kind: "kept", judgment });
    await this.report();
    this.wake();
  }

  wake(): void {
    this.again = true;
    this.running ??= this.out
      .alone(() => this.sendAll())
      .finally(() => {
        this.running = undefined;
        if (this.again && this.mode === "idle") this.wake();
      });
  }

  private async sendAll(): Promise<void> {
    let [pause, failures] = [pauses(), 0];
    for (;;) {
      this.again = false;
      const all = await this.store.all();
      const next = all.find((waiting) => waiting.problem === undefined);
      if (!next) return this.enter("idle");
      await this.enter(this.mode === "away" ? "away" : "sending");
      let answer = await this.out.send(next.message);
      failures = answer.kind === "failed" ? failures + 1 : 0;
      const isHopeless = failures >= MOST_FAILURES && (await this.out.isUp(next.message));
      if (isHopeless) answer = { kind: "refused", detail: "500" };
      if (answer.kind === "session") return this.enter("session");
      if (answer.kind === "away" || answer.kind === "failed") {
        await this.enter("away");
        await this.out.sleep(pause.next().value * (0.75 + Math.random() / 2));
        continue;
      }
      [pause, failures] = [pauses(), 0];
      const settled = [next, ...all.filter((waiting) => isSettledBy(waiting, next))];
      if (answer.kind === "kept") for (const { id } of settled) await this.store.remove(id);
      else await this.store.put({ ...next, problem: answer.kind === "refused" ? answer.detail : "conflict" });
      this.mode = "sending";
      this.out.answered(next.message, answer);
    }
  }

  private async enter(mode: OutboxMode): Promise<void> {
    this.mode = mode;
    await this.report();
  }

  async report(): Promise<void> {
    this.out.changed(await this.store.all(), this.mode);
  }
}
