// What can be undone, also after this window has shown another page.
import type { Standing } from "./decision";

/** A decision that was made in this window: what it said, what the assessor had written there, and what stood before it.
 * `isSame`: one key made it together with the one before it. */
export interface Decided {
  place: number;
  instance: string;
  word: string;
  comment: string;
  draft: string;
  before: Standing;
  isSame?: boolean;
}

/** An item that was put off in this window, or no longer. */
export interface PutOff {
  place: number;
  isOff: boolean;
}

export type Done = Decided | PutOff;

/** At the end of an address of the desk: undo at once. */
export const UNDO = "#undo";
const MOST = 100;

const nameOf = (assignment: string): string => `assess.past.${assignment}`;

export const pastOf = (assignment: string): Done[] => JSON.parse(sessionStorage.getItem(nameOf(assignment)) ?? "[]");

export const keepPast = (assignment: string, past: Done[]): void =>
  sessionStorage.setItem(nameOf(assignment), JSON.stringify(past.slice(-MOST)));

const isSame = (one?: Done): boolean => one !== undefined && "isSame" in one && one.isSame === true;

/** Takes off what the last key did: an item put off, or all that was decided at once, the first of it first. */
export function takeLast(past: Done[]): Done[] {
  let first = past.length - 1;
  while (isSame(past[first])) first--;
  return past.splice(Math.max(first, 0));
}
