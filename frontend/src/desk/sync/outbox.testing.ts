// What the tests of the outbox share.
import type { Decision, Message } from "../model/messages";
import type { OutboxMode } from "../model/state";
import { Outbox } from "./outbox";
import type { SendResult } from "./server";
import type { Store, Waiting } from "./store";

export const decision = (key: string, instance = "5"): Decision => ({
  key,
  assignment: "1",
  place: 1,
  instance,
  content_hash: "h",
  after: "",
  word: "3",
  comment: "",
  active_ms: 0,
  wall_ms: 0,
  rulings: "",
});
export const kept = (key: string): SendResult => ({ kind: "kept", judgment: { word: "3", comment: "", key } });

/** Keeps messages as long as the test runs. */
export class PageStore implements Store {
  waiting: Waiting[] = [];
  private last = 0;

  async add(messages: readonly Message[]): Promise<void> {
    for (const message of messages) this.waiting.push({ id: ++this.last, message });
  }
  async all(): Promise<Waiting[]> {
    return [...this.waiting];
  }
  async put(changed: Waiting): Promise<void> {
    this.waiting = this.waiting.map((waiting) => (waiting.id === changed.id ? changed : waiting));
  }
  async remove(id: number): Promise<void> {
    this.waiting = this.waiting.filter((waiting) => waiting.id !== id);
  }
}

/** One at a time. */
export function inTurn(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let busy: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = busy.then(work);
    busy = result.catch(() => undefined);
    return result;
  };
}

type Answering = (key: string, nth: number) => SendResult | Promise<SendResult>;

/** An outbox with a server that gives these answers. */
export function trial(answer: Answering, store = new PageStore(), isUp = true, alone = inTurn()) {
  const sent: string[] = [];
  const states: [number, number, OutboxMode][] = [];
  const pauses: number[] = [];
  const answers: [string, string][] = [];
  const outbox = new Outbox(store, {
    send: async ({ key }) => answer(key, sent.push(key)),
    answered: (message, answer) => void answers.push([message.key, answer.kind]),
    changed: (waiting, mode) => {
      const problems = waiting.filter(({ problem }) => problem !== undefined).length;
      states.push([waiting.length - problems, problems, mode]);
    },
    alone,
    sleep: async (milliseconds) => void pauses.push(milliseconds),
    isUp: async () => isUp,
  });
  const done = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve));
  };
  return { outbox, store, sent, states, pauses, answers, done };
}
