// The line in the foot: what waits, what was not kept, which items cannot be shown, and that all is saved. And the note
// about an item that is not here yet.
import { find } from "../find";
import type { State } from "./outbox";
import { isBeingRead, say, words } from "./page";
import { other } from "./server";
import { at, queue } from "./state";

interface How {
  waiting: number;
  unkept: number;
  state: State;
}

/** So long, in milliseconds, till it is tried again to say how it is. */
const AGAIN = 1000;

let how: How = { waiting: 0, unkept: 0, state: "idle" };

const note = find("#lacking");

/** An item that is wanted is not here, and the server says nothing; without a place: none is any longer. */
export function lack(place?: number): void {
  at.lacking = place;
  const text = place === undefined ? "" : words.lacking!.replace("{}", String(place));
  if (text && note.textContent === text) return; // else it would be heard again, and end what was said since
  note.textContent = text;
  say("");
  sayHow();
}

/** Why nothing is sent or fetched where the password is asked for. */
export const whyNot = (): string => (other ? words.other!.replace("{}", other) : words.session!);

/** How it was, and what was said of it. */
let told = "";
let later = 0;

/** Says how it is: at once where that has changed or `now` is not given, else when what was said since has been read. */
export function sayHow(now?: How): void {
  how = now ?? how;
  const line = lineOf(how);
  const telling = JSON.stringify([how, line]);
  clearTimeout(later);
  if (!line) return;
  if (now && telling === told && isBeingRead()) return void (later = setTimeout(() => sayHow(now), AGAIN));
  told = telling;
  say(...line);
}

/** The line and its manner; nothing where what stands there stays. */
function lineOf({ waiting, unkept, state }: How): [string, string?] | undefined {
  const parts = [
    waiting ? `${waiting} ${words.waiting}` : "",
    unkept ? `${unkept} ${words.not_kept}` : "",
    queue.absent.length ? `${words.absent} ${queue.absent.join(", ")}` : "",
  ];
  const all = (before: string, after = ""): string => [before, ...parts, after].filter(Boolean).join(", ");
  if (state === "session") return [all("", whyNot()), "bad"];
  if (state === "away") return [all(navigator.onLine ? "" : words.offline!), "bad"];
  if (waiting > 1) return [all("")];
  if (waiting || at.outbox?.adding || state !== "idle") return undefined;
  if (at.isClosed) return [words.closed!, "bad"];
  if (unkept) return [all("", words.else_saved!), "bad"];
  if (queue.absent.length) return [all(at.done), "bad"];
  if (at.isEarly) return [words.early!, "bad"];
  return at.done ? [at.done, "good"] : undefined;
}

/** A key did nothing: what it was meant for was not on the screen yet. That stays in the line till the next decision. */
export function tellEarly(): void {
  at.isEarly = true;
  say(words.early!, "bad");
}
