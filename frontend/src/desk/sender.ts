// The outbox of a person in this browser, with the network and the other windows.
import type { Message } from "./decision";
import { Outbox, type Outgoing, type State } from "./outbox";
import { fetchItems, send, type Answer } from "./server";
import { BrowserStore, PageStore, type Store, type Waiting } from "./store";

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

/** One window at a time does it. Over plain http browsers have no locks: there every window does. */
export const inOneWindow = <Result>(name: string, work: () => Promise<Result>): Promise<Result> =>
  navigator.locks ? navigator.locks.request(name, work) : work();

const markOf = (user: string): string => `assess.kept.${user}`;

/** When the server last kept something that came from this browser, in milliseconds by the clock. */
export const lastKept = (user: string): number => Number(localStorage.getItem(markOf(user)));

/** `want`: the place whose item shall come back with an answer; `missed`: it did not. */
type Heard = Pick<Outgoing, "answered" | "changed"> & {
  want?: (message: Message) => number | undefined;
  missed?: (place: number, answer: Answer) => void;
};

/** What the window that sends tells the others: an answer, or how far it is. */
type News = { message: Message; answer: Answer } | { waiting: Waiting[]; state: State };

/** An outbox that starts with what waits already. */
export async function startOutbox(user: string, heard: Heard): Promise<Outbox> {
  void navigator.storage?.persist?.(); // else a browser may clear it when its disk is full
  const others = new BroadcastChannel(`assess-${user}`);
  const tell = (news: News): void => others.postMessage(news);
  let isSender = false;
  let tried = "";
  const outbox = new Outbox(await storeOf(user), {
    send: async (message) => {
      const want = message.key === tried ? undefined : heard.want?.(message); // it may have been that item that failed
      tried = message.key;
      const answer = await send(message, want);
      if (answer.kind === "kept") localStorage.setItem(markOf(user), String(Date.now()));
      if (want !== undefined && !(answer.kind === "kept" && answer.item)) heard.missed?.(want, answer);
      return answer;
    },
    answered: (message, answer) => {
      tell({ message, answer });
      heard.answered(message, answer);
    },
    changed: (waiting, state, adding) => {
      if (isSender && state !== "session") tell({ waiting, state }); // each asks for the password when it sends
      heard.changed(waiting, state, adding);
    },
    alone: (work) =>
      inOneWindow(`assess-outbox-${user}`, async () => {
        isSender = true;
        return work().finally(() => (isSender = false));
      }),
    sleep,
    isUp: async ({ assignment }) => ["batch", "gone"].includes((await fetchItems(assignment, [])).kind),
  });
  others.onmessage = ({ data }: MessageEvent<News>) => {
    if ("answer" in data) heard.answered(data.message, data.answer);
    else heard.changed(data.waiting, data.state, outbox.adding);
  };
  outbox.wake();
  return outbox;
}
