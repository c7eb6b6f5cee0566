// What the tests of the outbox share.
import type { Decision } from "../model/messages";
import type { OutboxMode } from "../model/state";
import { Outbox } from "./outbox";
import type { Answer } from "./server";
import { PageStore } from "./store";

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
export const kept = (key: string): Answer => ({ kind: "kept", judgment: { word: "3", comment: "", key } });

export interface Trial {
  outbox: Outbox;
  store: PageStore;
  sent: string[];
  states: [number, number, OutboxMode][];
  pauses: number[];
  answers: [string, string][];
  done: () => Promise<void>;
}

/** An outbox with a server that gives these answers. */
export function trial(answer: (key: string, nth: number) => Answer, store = new PageStore(), isUp = true): Trial {
  const sent: string[] = [];
  const states: [number, number, OutboxMode][] = [];
  const pauses: number[] = [];
  const answers: [string, string][] = [];
  let busy: Promise<unknown> = Promise.resolve();
  const outbox = new Outbox(store, {
    send: async ({ key }) => answer(key, sent.push(key)),
    answered: (message, answer) => void answers.push([message.key, answer.kind]),
    changed: (waiting, mode) => {
      const problems = waiting.filter(({ problem }) => problem !== undefined).length;
      states.push([waiting.length - problems, problems, mode]);
    },
    alone: (work) => {
      const result = busy.then(work);
      busy = result.catch(() => undefined);
      return result;
    },
    sleep: async (milliseconds) => void pauses.push(milliseconds),
    isUp: async () => isUp,
  });
  const done = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve));
  };
  return { outbox, store, sent, states, pauses, answers, done };
}
