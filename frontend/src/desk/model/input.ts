// What a key means now, and inputs that come faster than the desk can work them off.
import { currentCard, say } from "./changes";
import { asksWhy } from "./comments";
import { choose, repeatForRest, toggleDeferral, undo } from "./judging";
import { step } from "./navigation";
import { REPORT, type Draft, type Input, type State } from "./state";

/** What can still be done after the topic was taken back. */
const READING = ["next", "previous", "thread", "guide", "keys", "marks", "formula"];

/** For so many milliseconds after the key of an outcome, a number is meant for a reason and is no grade, even if the box
 * did not open. */
const REASON = 1500;

/** `command`: "unknown" is a character that no command has. */
export function key(desk: Draft, { command, since }: { command: string; since: number }): void {
  if (command === "unknown") return tellUnknown(desk);
  if (desk.isClosed && !READING.includes(command)) return say(desk, "closed", "bad");
  const isGrade = command.startsWith("grade-");
  const word = command.replace("grade-", "");
  const card = currentCard(desk);
  const isOffered = card.words.includes(word);
  const { reasonKey } = desk;
  desk.reasonKey = asksWhy(card, word, desk.page) ? { since, isOffered } : undefined;
  if (isGrade && reasonKey && since - reasonKey.since < REASON) {
    if (reasonKey.isOffered) ignore(desk);
    else say(desk, "no_match");
  } else if (isTooEarly(desk, since) && (isOffered || command === "same" || command === "defer")) ignore(desk);
  else if (isOffered || ["same", "undo", "defer"].includes(command)) press(desk, { choice: word, since });
  else if (command === "next" || command === "previous") step(desk, { by: command === "next" ? 1 : -1 });
  else if (isGrade) say(desk, "no_grade");
  else if (command === "not_matching") say(desk, "no_match");
  else desk.effects.push({ kind: "perform", command });
}

/** Once on a page: whoever has another layout may not know why nothing happens. */
function tellUnknown(desk: Draft): void {
  if (!desk.isUnknownTold) say(desk, "no_key");
  desk.isUnknownTold = true;
}

interface Click {
  place: number;
  instance: string;
  word: string;
  since: number;
}

/** A double click or tap counts once, on the same button or if the first one has moved another post's below it. */
export function click(desk: Draft, { place, instance, word, since }: Click): void {
  if (desk.place !== place) return;
  const { clicked } = desk;
  const isDouble = clicked !== undefined && since - clicked.since < desk.page.early;
  if (isDouble && clicked.instance === instance && clicked.word === word) return;
  if ((isDouble && clicked.instance !== instance) || isTooEarly(desk, since)) return ignore(desk);
  desk.clicked = { instance, word, since };
  desk.current = instance;
  press(desk, { choice: word, since });
}

/** A button that belongs to no document: a double click counts once. */
export function clickOther(desk: Draft, { choice }: { choice: string }): void {
  const { clicked, now } = desk;
  if (clicked?.word === choice && now - clicked.since < desk.page.early) return;
  desk.clicked = { instance: "", word: choice, since: now };
  press(desk, { choice });
}

/** Whether a key or button was pressed when its item had hardly come into view, as a second press of the last one. From
 * post to post of one item keys count at once. */
const isTooEarly = (desk: State, since: number): boolean => desk.page.early > 0 && since - desk.paintedAt < desk.page.early;

/** An input came before what it was meant for. That is said for a while, or until the next decision. */
function ignore(desk: Draft): void {
  desk.isEarly = true;
  desk.effects.push({ kind: "calm" });
  say(desk, "early", "waiting");
}

/** Whether the item that the input was meant for is on the screen and still to be judged. Undo does not depend on that. */
const isForThis = (desk: State, { choice, place }: Input): boolean =>
  choice === "undo" || (desk.painted === place && desk.place === place && !desk.isPassed);

function press(desk: Draft, { choice, since = desk.now }: { choice: string; since?: number }): void {
  const input = { choice, since, place: desk.place };
  if (!desk.isBusy && !desk.asking && !desk.queued.length) run(desk, input);
  else if (isForThis(desk, input)) desk.queued = [...desk.queued, input];
  else ignore(desk);
}

/** The note about an ignored key has been read. */
export function calmed(desk: Draft): void {
  if (desk.isEarly && desk.said.word === "early") say(desk, REPORT);
  desk.isEarly = false;
}

/** Works off the next queued input; false if there is none, or the desk is busy. What came before a box is ignored. */
export function takeNext(desk: Draft): boolean {
  const [input, ...queued] = desk.queued;
  if (!input || desk.isBusy) return false;
  desk.queued = queued;
  if (isForThis(desk, input) && !desk.asking) run(desk, input);
  else ignore(desk);
  return true;
}

function run(desk: Draft, { choice, since }: Input): void {
  if (choice === "same") repeatForRest(desk, since);
  else if (choice === "defer") toggleDeferral(desk, since);
  else if (choice === "undo") undo(desk);
  else choose(desk, choice, since);
}
