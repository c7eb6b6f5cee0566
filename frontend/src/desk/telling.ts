// The line in the foot: what waits, what was not kept, which items cannot be shown, and that all is saved. And the note
// about an item that is not here yet.
import { find } from "../find";
import type { State } from "./outbox";
import { say, words } from "./page";
import { other } from "./server";
import { at, close, queue } from "./state";

interface How {
  waiting: number;
  unkept: number;
  state: State;
}

let how: How = { waiting: 0, unkept: 0, state: "idle" };

const note = find("#lacking");

/** An item that is wanted is not here, and the server says nothing; without a place: none is any longer. */
export function lack(place?: number): void {
  at.lacking = place;
  const text = place === undefined ? "" : words.lacking!.replace("{}", String(place));
  if (note.textContent !== text) note.textContent = text; // else it would be heard again
  say("");
  sayHow();
}

/** Why nothing is sent or fetched where the password is asked for. */
export const whyNot = (): string => (other ? words.other!.replace("{}", other) : words.session!);

export function sayHow(now: How = how): void {
  how = now;
  const { waiting, unkept, state } = now;
  const parts = [
    waiting ? `${waiting} ${words.waiting}` : "",
    unkept ? `${unkept} ${words.not_kept}` : "",
    queue.absent.length ? `${words.absent} ${queue.absent.join(", ")}` : "",
  ];
  const told = (before: string, after = ""): string => [before, ...parts, after].filter(Boolean).join(", ");
  if (state === "session") say(told("", whyNot()), "bad");
  else if (state === "away") say(told(navigator.onLine ? "" : words.offline!), "bad");
  else if (waiting > 1) say(told(""));
  else if (waiting || state !== "idle") return;
  else if (at.isClosed) close();
  else if (unkept) say(told("", words.else_saved!), "bad");
  else if (queue.absent.length) say(told(at.done), "bad");
  else if (at.isEarly) say(words.early!, "bad");
  else if (at.done) say(at.done, "good");
}

/** A key did nothing: what it was meant for was not on the screen yet. That stays in the line till the next decision. */
export function tellEarly(): void {
  at.isEarly = true;
  say(words.early!, "bad");
}
