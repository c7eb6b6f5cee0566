// What can be undone, also after this window has shown another page.
import type { Standing } from "./decision";

/** A decision that was made in this window: what it said, and what stood before it. */
export interface Decided {
  place: number;
  instance: string;
  word: string;
  before: Standing;
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
