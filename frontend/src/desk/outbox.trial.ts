// What the tests of the outbox share.
import type { Decision } from "./decision";
import { Outbox, type State } from "./outbox";
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
export const kept = (key: string): Answer => ({ kind: "kept", standing: { word: "3", comment: "", key } });

export interface Trial {
  outbox: Outbox;
  store: PageStore;
  sent: string[];
  states: [number, number, State][];
  pauses: number[];
  told: [string, string][];
  done: () => Promise<void>;
}

/** An outbox with a server that answers as told. */
export function trial(answer: (key: string, nth: number) => Answer, store = new PageStore(), isUp = true): Trial {
  const sent: string[] = [];
  const states: [number, number, State][] = [];
  const pauses: number[] = [];
  const told: [string, string][] = [];
  let busy: Promise<unknown> = Promise.resolve();
  const outbox = new Outbox(store, {
    send: async (one) => answer(one.key, sent.push(one.key)),
    answered: (message, answer) => void told.push([message.key, answer.kind]),
    changed: (waiting, state) => {
      const problems = waiting.filter((one) => one.problem !== undefined).length;
      states.push([waiting.length - problems, problems, state]);
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
  return { outbox, store, sent, states, pauses, told, done };
}
