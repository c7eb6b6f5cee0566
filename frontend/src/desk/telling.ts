// The line in the foot: what waits, what was not kept, which items are not here, and that all is saved.
import type { State } from "./outbox";
import { say, words } from "./page";
import { at, close, queue } from "./state";

interface How {
  waiting: number;
  unkept: number;
  state: State;
}

let how: How = { waiting: 0, unkept: 0, state: "idle" };

/** An item that is wanted is not here, and the server is away; without a place: none is any longer. */
export function lack(place?: number): void {
  at.lacking = place;
  say("");
  sayHow();
}

export function sayHow(now: How = how): void {
  how = now;
  const { waiting, unkept, state } = now;
  const parts = [
    waiting ? `${waiting} ${words.waiting}` : "",
    unkept ? `${unkept} ${words.not_kept}` : "",
    at.lacking === undefined ? "" : `${words.lacking} ${at.lacking}`,
    queue.absent.length ? `${words.absent} ${queue.absent.join(", ")}` : "",
  ];
  const told = (before: string, after = ""): string => [before, ...parts, after].filter(Boolean).join(", ");
  if (state === "session") say(told("", words.session!), "bad");
  else if (at.lacking !== undefined) say(told(words.offline!), "bad");
  else if (state === "away") say(told(navigator.onLine ? "" : words.offline!), "bad");
  else if (waiting > 1) say(told(""));
  else if (waiting || state !== "idle") return;
  else if (at.isClosed) close();
  else if (unkept) say(told("", words.else_saved!), "bad");
  else if (queue.absent.length) say(told(at.done), "bad");
  else if (at.done) say(at.done, "good");
}
