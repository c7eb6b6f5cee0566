// What a key means now, and inputs that come faster than the desk can work them off.
import { currentCard, say } from "./changes";
import { asksWhy } from "./comments";
import { choose, repeatForRest, toggleDeferral, undo } from "./judging";
import { step } from "./navigation";
import { NOTHING_SAID, type Card, type Draft, type Input, type State } from "./state";

/** What can still be done after the topic was taken back. */
const READING = ["next", "previous", "thread", "guide", "keys", "marks"];

/** For so many milliseconds after the key of an outcome, a number is meant for a reason and is no grade, even if the box
 * did not open. */
const REASON = 1500;

export function key(desk: Draft, { action, since }: { action: string; since: number }): void {
  if (desk.isClosed && !READING.includes(action)) return repeatClosed(desk);
  const grade = /^grade-(\d)$/.exec(action)?.[1];
  const word = grade ?? action;
  const card = currentCard(desk);
  const { reasonKey } = desk;
  const isReason = grade !== undefined && since - reasonKey.since < REASON && desk.askedAt < reasonKey.since;
  if (isReason) sayNotice(desk);
  desk.reasonKey = { since: asksWhy(card, word) ? since : -Infinity, notice: "early" };
  if (!isReason) perform(desk, action, word, card, since);
}

function perform(desk: Draft, action: string, word: string, card: Card, since: number): void {
  const input = { since, place: desk.place };
  if (card.words.includes(word)) press(desk, { ...input, kind: "word", word });
  else if (action === "same" || action === "undo" || action === "defer") press(desk, { ...input, kind: action });
  else if (action === "next" || action === "previous") step(desk, { by: action === "next" ? 1 : -1 });
  else if (word !== action) say(desk, "no_grade");
  else if (action === "not_matching") noMatch(desk, since);
  else desk.effects.push({ kind: "perform", action });
}

/** Said again, so that it is seen and heard. */
function repeatClosed(desk: Draft): void {
  desk.said = NOTHING_SAID;
  desk.effects.push({ kind: "closeAgain" });
}

function noMatch(desk: Draft, since: number): void {
  desk.reasonKey = { since, notice: "no_match" };
  sayNotice(desk);
}

function sayNotice(desk: Draft): void {
  if (desk.reasonKey.notice === "early") ignore(desk);
  else say(desk, "no_match");
}

/** An input came before what it was meant for. That is said until the next decision. */
function ignore(desk: Draft): void {
  desk.isEarly = true;
  say(desk, "early", "bad");
}

/** Whether the item that the input was meant for is on the screen and still to be judged. Undo does not depend on that. */
const isForThis = (desk: State, { kind, place }: Input): boolean =>
  kind === "undo" || (desk.painted === place && desk.place === place && !desk.isPassed);

const isFree = (desk: State): boolean => !desk.isBusy && !desk.asking;

export function press(desk: Draft, input: Input): void {
  if (isFree(desk) && !desk.queued.length) run(desk, input);
  else if (isForThis(desk, input)) desk.queued = [...desk.queued, input];
  else ignore(desk);
}

/** Works off the next queued input; false if there is none, or the desk is busy. An input that came before a box
 * asked something is ignored. */
export function takeNext(desk: Draft): boolean {
  const [input, ...queued] = desk.queued;
  if (!input || !isFree(desk)) return false;
  desk.queued = queued;
  if (isForThis(desk, input) && desk.askedAt <= input.since) run(desk, input);
  else ignore(desk);
  return true;
}

function run(desk: Draft, input: Input): void {
  if (input.kind === "word") choose(desk, input.word, input.since);
  else if (input.kind === "same") repeatForRest(desk, input.since);
  else if (input.kind === "defer") toggleDeferral(desk, input.since);
  else undo(desk);
}

interface Click {
  place: number;
  instance: string;
  word: string;
}

/** A click on a button of a candidate. */
export function click(desk: Draft, { place, instance, word }: Click): void {
  if (desk.place !== place) return;
  desk.current = instance;
  press(desk, { kind: "word", word, since: desk.now, place });
}

