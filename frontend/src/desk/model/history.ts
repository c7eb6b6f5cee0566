// What can be undone, also after this window has shown another page.
import type { Judgment } from "./messages";

/** A decision made in this window: its word, its comment, the text in the field, and the judgment before it.
 * `isSame`: one key made it together with the decision before it. */
export interface PastDecision {
  place: number;
  instance: string;
  word: string;
  comment: string;
  draft: string;
  before: Judgment;
  isSame?: boolean;
}

/** An item that was deferred in this window, or no longer. */
export interface PastDeferral {
  place: number;
  isOff: boolean;
}

export type HistoryEntry = PastDecision | PastDeferral;
export type History = readonly HistoryEntry[];

export const isPastDecision = (entry: HistoryEntry): entry is PastDecision => "instance" in entry;

const isSame = (entry?: HistoryEntry): boolean => entry !== undefined && isPastDecision(entry) && entry.isSame === true;

/** The history without what the last key did, and what that was: a deferral, or all decisions of that key. */
export function takeLast(history: History): [rest: History, last: History] {
  let first = history.length - 1;
  while (isSame(history[first])) first--;
  first = Math.max(first, 0);
  return [history.slice(0, first), history.slice(first)];
}
