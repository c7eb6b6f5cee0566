// Comments: the reason of an outcome, and the assessor's own words.
import { isJudged } from "./changes";
import { isGrade } from "./scale";
import type { Card, Page } from "./state";

const reasonOf = (word: string, { scale }: Page): string => scale.outcomes.find(([outcome]) => outcome === word)?.[1] ?? "";

/** Whether there is no such judgment without a comment. A grade needs one if it settles a disagreement. */
export const needsComment = (word: string, page: Page): boolean =>
  isGrade(word) ? page.isSettling : reasonOf(word, page) === "needed";

/** Whether the comment is the one that the server filled in. */
export const isFilledIn = (card: Card): boolean => card.filledIn !== "" && !isJudged(card) && card.text === card.filledIn;

/** Whether a reason has to be asked for. One that the server filled in will do for an outcome, one that was typed for a
 * grade. */
export const asksWhy = (card: Card, word: string, page: Page): boolean =>
  isGrade(word)
    ? page.isSettling && ["", card.judgment.comment].includes(card.text.trim())
    : reasonOf(word, page) !== "" && !(needsComment(word, page) && isFilledIn(card));

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
