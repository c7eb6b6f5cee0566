// The line about what is saved.
import { find } from "../find";

const status = find("#status");
const attend = find<HTMLButtonElement>("#attend");

/** So long, in milliseconds, it takes to read it. */
const READING = 5000;

let said = -READING;

/** `manner`: "good" or "bad", where it is either. */
export function say(text: string, manner = ""): void {
  if (status.textContent !== text) status.textContent = text;
  status.dataset.manner = manner;
  said = text ? performance.now() : -READING;
}

/** Whether something was said just now. */
export const isBeingRead = (): boolean => performance.now() - said < READING;

/** A button beside that line, for what the assessor left and may want to see again; none without a text. */
export function offer(text = "", open: (() => void) | null = null): void {
  attend.hidden = text === "";
  attend.textContent = text;
  attend.onclick = open;
}
