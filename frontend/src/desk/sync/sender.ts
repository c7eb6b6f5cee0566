// The outbox of a person in this browser, with the network and the other windows.
import { recall, remember } from "../../storage/remembered";
import type { Message } from "../model/messages";
import type { OutboxMode } from "../model/state";
import { Outbox, type Outgoing } from "./outbox";
import { fetchItems, send, sleep, type SendResult } from "./server";
import type { Store, Waiting } from "./store";

/** Runs in one window at a time. Over plain http browsers have no locks: there it runs in every window. */
export const inOneWindow = <Result>(name: string, work: () => Promise<Result>): Promise<Result> =>
  navigator.locks ? navigator.locks.request(name, work) : work();

const lastKeptName = (user: string): string => `assess.kept.${user}`;

/** When the server last kept something from this browser, in milliseconds by the clock. */
export const lastKept = (user: string): number => Number(recall(lastKeptName(user)) ?? 0);

/** `want`: the place whose item an answer should bring; `sent`: this window has sent something. */
export interface Listener extends Pick<Outgoing, "answered" | "changed"> {
  want?(message: Message): number | undefined;
  sent?(answer: SendResult, want?: number): void;
}

/** What the window that sends reports to the others: an answer, or how far it is. */
type TabMessage = { message: Message; answer: SendResult } | { waiting: Waiting[]; mode: OutboxMode };

/** Opens the outbox, then the listener for it and for what waits already, and begins to send. */
export async function startOutbox(
  user: string,
  store: Store,
  listenerFor: (outbox: Outbox, waiting: readonly Waiting[]) => Listener,
): Promise<void> {
  void navigator.storage?.persist?.(); // else a browser may clear it when its disk is full
  const others = new BroadcastChannel(`assess-${user}`);
  const broadcast = (news: TabMessage): void => others.postMessage(news);
  let isSender = false;
  let tried = "";
  const outbox: Outbox = new Outbox(store, {
    send: async (message) => {
      const want = message.key === tried ? undefined : listener.want?.(message); // perhaps it was that item that failed
      tried = message.key;
      const answer = await send(message, want);
      if (answer.kind === "kept") remember(lastKeptName(user), String(Date.now()));
      listener.sent?.(answer, want);
      return answer;
    },
    answered: (message, answer) => {
      broadcast({ message, answer });
      listener.answered(message, answer);
    },
    changed: (waiting, mode) => {
      if (isSender && mode !== "session") broadcast({ waiting, mode }); // each asks for the password when it sends
      listener.changed(waiting, mode);
    },
    alone: (work) =>
      inOneWindow(`assess-outbox-${user}`, async () => {
        isSender = true;
        return work().finally(() => (isSender = false));
      }),
    sleep,
    isUp: async ({ assignment }) => ["batch", "gone"].includes((await fetchItems(assignment, [])).kind),
  });
  const listener = listenerFor(outbox, await store.all());
  others.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if ("answer" in data) listener.answered(data.message, data.answer);
    else listener.changed(data.waiting, data.mode);
  };
  outbox.wake();
}
