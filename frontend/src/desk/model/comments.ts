// Comments: the reason of an outcome, and the assessor's own words.
import { isJudged } from "./changes";
import type { Card } from "./state";

/** The outcomes, all of which ask for a reason, and whether they need one. A grade needs one if it settles a disagreement. */
const OUTCOMES: Readonly<Record<string, boolean>> = { do_not_know: true, system_failure: true, not_matching: false };

export const isGrade = (word: string): boolean => /^\d$/.test(word);

export const needsComment = (word: string, isSettling: boolean): boolean => OUTCOMES[word] ?? isSettling;

/** Whether the comment is the one that the server filled in. */
export const isFilledIn = (card: Card): boolean => card.filledIn !== "" && !isJudged(card) && card.text === card.filledIn;

/** Whether a reason has to be asked for. One that the server filled in will do for an outcome, one that was typed for a
 * grade. */
export const asksWhy = (card: Card, word: string, isSettling: boolean): boolean =>
  word in OUTCOMES
    ? !(needsComment(word, isSettling) && isFilledIn(card))
    : isSettling && isGrade(word) && ["", card.judgment.comment].includes(card.text.trim());

/** A comment without the usual reasons before it. */
export function ownWords(comment: string, reasons: readonly string[]): string {
  for (const reason of reasons) {
    const after = comment.slice(reason.length);
    if (comment.startsWith(reason) && !/^\p{L}/u.test(after)) return ownWords(after.replace(/^[\s:;,.]+/, ""), reasons);
  }
  return comment;
}

/** A usual reason, with what the assessor wrote after it. */
export function withReason(reason: string, text: string, reasons: readonly string[]): string {
  const own = ownWords(text.trim(), reasons);
  return own ? `${reason}: ${own}` : reason;
}

/** The comment for a card that gets the judgment of another: the reason goes with its outcome, what is written at the
 * card stays. */
export function repeatedComment(from: Card, to: Card, reasons: readonly string[]): string {
  const { word, comment } = from.judgment;
  const own = isJudged(to) || isFilledIn(to) ? "" : ownWords(to.text.trim(), reasons);
  const repeated = ownWords(comment, reasons);
  if (!own || own === repeated) return comment;
  return isGrade(word) || !comment ? own : `${comment}${repeated ? "\n" : ": "}${own}`;
}
