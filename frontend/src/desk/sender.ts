// The outbox of a person in this browser, with the network and the other windows.
import type { Decision } from "./decision";
import { Outbox, type Outgoing } from "./outbox";
import { send, type Answer } from "./server";
import { BrowserStore, PageStore, type Store } from "./store";

async function storeOf(user: string): Promise<Store> {
  const store = new BrowserStore(user);
  try {
    await store.all();
    return store;
  } catch {
    return new PageStore();
  }
}

/** A pause that ends when the network is back. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
  });
}

/** `want`: the place whose item shall come back with an answer; `missed`: it did not. */
type Heard = Pick<Outgoing, "answered" | "changed"> & { want?: () => number | undefined; missed?: (place: number) => void };

/** An outbox that starts with what waits already. */
export async function startOutbox(user: string, heard: Heard): Promise<Outbox> {
  const others = new BroadcastChannel(`assess-${user}`);
  others.onmessage = ({ data }: MessageEvent<[Decision, Answer]>) => heard.answered(...data);
  const outbox = new Outbox(await storeOf(user), {
    send: async (decision) => {
      const want = heard.want?.();
      const answer = await send(decision, want);
      if (want !== undefined && !(answer.kind === "kept" && answer.item)) heard.missed?.(want);
      return answer;
    },
    answered: (decision, answer) => {
      others.postMessage([decision, answer]);
      heard.answered(decision, answer);
    },
    changed: heard.changed,
    alone: (work) => navigator.locks.request(`assess-outbox-${user}`, work),
    sleep,
  });
  outbox.wake();
  return outbox;
}
