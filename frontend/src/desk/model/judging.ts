// Decisions: grades and outcomes, comments, the same for the rest, deferring, and undo.
import { changeCard, currentCard, currentItem, isJudged, judgedState, openCard } from "./changes";
import { requestPaint, say, setJudgment, setStoring, withText } from "./changes";
import { asksWhy, needsComment, ownWords, repeatedComment } from "./comments";
import { isPastDecision, takeLast, type PastDecision } from "./history";
import type { Decision, Message } from "./messages";
import { advance, beginWork, dropGoal, show } from "./navigation";
import { withDeferral } from "./places";
import { NOTHING_SAID, type Card, type Draft, type Reversal, type Said } from "./state";

/** A grade or an outcome for the current card, asking for a reason if one is needed; an empty word takes back. */
export function choose(desk: Draft, word: string, since: number): void {
  if (desk.isBusy || desk.isClosed || (word && isNotForThis(desk))) return;
  dropGoal(desk);
  const card = currentCard(desk);
  const isUnchanged = word !== card.judgment.word && card.text === card.judgment.comment;
  if (word && isUnchanged) setText(desk, card, ownWords(card.text, desk.reasons)); // without the reason of the other word
  if (!word || !asksWhy(card, word)) return judge(desk, word, since);
  desk.askedAt = desk.now;
  desk.asking = { word, typed: card.text };
  desk.effects.push({ kind: "askWhy", word, comment: currentCard(desk).text, isNeeded: needsComment(word) });
}

const setText = (desk: Draft, { instance }: Card, text: string): void =>
  changeCard(desk, desk.place, instance, (card) => ({ ...card, text }));

/** The answer of the box that asks why; none if it was left. */
export function why(desk: Draft, { reason }: { reason?: string }): void {
  const { asking } = desk;
  if (!asking) return;
  desk.asking = undefined;
  setText(desk, currentCard(desk), reason ?? asking.typed);
  if (reason === undefined) desk.effects.push({ kind: "focus" });
  else judge(desk, asking.word, desk.now);
}

/** Whether the input was meant for the next item, or came before this one was in sight. */
const isNotForThis = (desk: Draft): boolean => isMeantForNext(desk) || bringUnseen(desk);

/** Whether the next item should be on the screen by now: then no judgment is changed by accident. */
function isMeantForNext(desk: Draft): boolean {
  const isMeant = (desk.awaited !== undefined || desk.isPassed === true) && !desk.isBusy && isJudged(currentCard(desk));
  if (isMeant) say(desk, "stands", "bad");
  return isMeant;
}

/** The first key shows an item that nobody can have seen yet. */
function bringUnseen(desk: Draft): boolean {
  if (!desk.isUnseen) return false;
  desk.isUnseen = false;
  bring(desk, currentCard(desk));
  say(desk, "unseen");
  return true;
}

function bring(desk: Draft, card: Card): void {
  desk.current = card.instance;
  desk.effects.push({ kind: "bring" });
}

function judge(desk: Draft, word: string, since: number): void {
  if (!beginWork(desk)) return;
  const card = currentCard(desk);
  const { cards } = currentItem(desk);
  decideUndoably(desk, card, word);
  if (!word) setDraft(desk, card, ownWords(card.judgment.comment, desk.reasons));
  if (isJudged(card)) stayAt(desk, cards[cards.indexOf(card) + 1] ?? card);
  else if (word) goOn(desk, since);
}

const setDraft = (desk: Draft, { instance }: Card, text: string): void =>
  changeCard(desk, desk.place, instance, (card) => withText(card, text));

/** After a change the item stays on the screen. */
function stayAt(desk: Draft, card: Card): void {
  desk.current = card.instance;
  desk.effects.push({ kind: "focus" }, { kind: "reveal" });
}

/** To the next open card of this item, else to the next item. */
export function goOn(desk: Draft, since: number): void {
  const open = openCard(currentItem(desk));
  if (open) {
    bring(desk, open);
    return requestPaint(desk);
  }
  desk.isPassed = true;
  advance(desk, since);
}

/** `isSame`: together with the decision before. */
function decideUndoably(desk: Draft, card: Card, word: string, comment = card.text.trim(), isSame = false): void {
  const draft = ownWords(card.text, desk.reasons);
  const { instance, judgment } = card;
  desk.history = [...desk.history, { place: desk.place, instance, word, comment, draft, before: judgment, isSame }];
  decide(desk, desk.place, card, word, comment);
}

const nextKey = (desk: Draft): string => desk.keyPrefix + (desk.keyCount++).toString(16).padStart(8, "0");

function decide(desk: Draft, place: number, card: Card, word: string, comment: string): void {
  const { instance, contentHash, judgment, text } = card;
  const message: Decision = {
    key: nextKey(desk),
    assignment: desk.assignment,
    place,
    instance,
    content_hash: contentHash,
    after: judgment.key,
    word,
    comment: word ? comment : "",
    wall_ms: Math.round(desk.now - desk.items.get(place)!.shownAt),
    active_ms: 0, // the page knows these two
    rulings: "",
  };
  setJudgment(desk, place, instance, { word, comment: message.comment, key: message.key });
  keep(desk, message, { message, judgment, text }, { word: "saved", manner: "good" });
}

/** Has the page keep a message in this browser; the outbox sends it. `done` is said when the server has it. */
function keep(desk: Draft, message: Message, reversal: Reversal, done: Said): void {
  desk.said = NOTHING_SAID;
  desk.done = done;
  desk.isEarly = false;
  desk.outbox = { ...desk.outbox, waiting: desk.outbox.waiting + 1 };
  setStoring(desk, message.key, reversal);
  desk.effects.push({ kind: "keep", message });
}

export const stored = (desk: Draft, { key }: { key: string }): void => setStoring(desk, key);

/** The browser cannot keep it: it is reversed, and shown. */
export function notStored(desk: Draft, { key, error }: { key: string; error: string }): void {
  const reversal = desk.storing.get(key);
  setStoring(desk, key);
  if (!reversal) return;
  const { place } = reversal.message;
  if ("isDeferred" in reversal) desk.places = withDeferral(desk.places, place, reversal.isDeferred);
  else reverse(desk, reversal);
  desk.done = desk.afterwards = undefined;
  show(desk, { kind: "show", place, since: desk.now });
  say(desk, "unsafe", "bad", { detail: error });
}

function reverse(desk: Draft, { message, judgment, text }: Extract<Reversal, { text: string }>): void {
  const { place, instance } = message;
  setJudgment(desk, place, instance, judgment);
  const own = ownWords(text, desk.reasons);
  if (!judgment.word) changeCard(desk, place, instance, (card) => withText(card, own));
}

/** Another comment on a judgment; one that is needed cannot be emptied. */
export function commented(desk: Draft, { place, instance }: { place: number; instance: string }): void {
  const card = desk.items.get(place)?.cards.find((other) => other.instance === instance);
  if (!card || !isJudged(card) || card.text.trim() === card.judgment.comment) return;
  const { word, comment } = card.judgment;
  const text = card.text.trim();
  if (needsComment(word) && text === "") changeCard(desk, place, instance, () => ({ ...card, text: comment }));
  else decide(desk, place, card, word, text);
}

/** The judgment of the card before for all open cards of this item; if none is open, for all that follow. */
export function repeatForRest(desk: Draft, since: number): void {
  if (isNotForThis(desk) || !beginWork(desk)) return;
  const item = currentItem(desk);
  const { cards } = item;
  if (cards.length === 1) return say(desk, "single");
  const index = cards.indexOf(currentCard(desk));
  const before = cards.slice(0, index).reverse().find(isJudged);
  if (!before) return say(desk, isJudged(cards[0]!) ? "at_first" : "first");
  const isOpen = openCard(item) !== undefined;
  const rest = isOpen ? cards.filter((card) => !isJudged(card)) : cards.slice(index);
  for (const card of rest) {
    desk.current = card.instance;
    decideUndoably(desk, card, before.judgment.word, repeatedComment(before, card, desk.reasons), card !== rest[0]);
  }
  if (isOpen) goOn(desk, since);
}

/** Defers the item until the end, or no longer. */
export function toggleDeferral(desk: Draft, since: number): void {
  if (isMeantForNext(desk) || judgedState(currentItem(desk)) || !beginWork(desk)) return;
  const isOff = !desk.places.deferred.has(desk.place);
  desk.history = [...desk.history, { place: desk.place, isOff }];
  setDeferral(desk, desk.place, isOff);
  if (isOff) advance(desk, since);
}

function setDeferral(desk: Draft, place: number, isOff: boolean): void {
  const message = { key: nextKey(desk), assignment: desk.assignment, place, defer: isOff ? "yes" : "no" } as const;
  const isDeferred = desk.places.deferred.has(place);
  desk.places = withDeferral(desk.places, place, isOff);
  keep(desk, message, { message, isDeferred }, { word: isOff ? "deferred" : "saved", manner: "good" });
}

/** Shows what the last key of this window decided; `undoLast` follows when it is on the screen. */
export function undo(desk: Draft): void {
  if (!beginWork(desk)) return;
  const last = desk.history.at(-1);
  if (last) show(desk, { kind: "undo", place: last.place, since: desk.now });
  else say(desk, "nothing");
}

export function undoLast(desk: Draft): void {
  const [rest, last] = takeLast(desk.history);
  desk.history = rest;
  const decided = last.filter(isPastDecision);
  for (const entry of last) if ("isOff" in entry) setDeferral(desk, entry.place, !entry.isOff);
  const said: Said | undefined = decided.length ? takeBack(desk, decided) : { word: "undone", manner: "good" };
  if (!said) return say(desk, "elsewhere", "bad");
  desk.done = desk.afterwards = said;
}

/** What is said of it; nothing if other judgments hold by now. */
function takeBack(desk: Draft, decided: PastDecision[]): Said | undefined {
  const card = (instance: string): Card => currentItem(desk).cards.find((other) => other.instance === instance)!;
  const holding = decided.filter(({ instance, word }) => card(instance).judgment.word === word);
  bring(desk, card((holding[0] ?? decided[0]!).instance));
  for (const { instance, before, comment, draft } of holding) {
    const now = card(instance).judgment.comment; // it may have been changed since
    decide(desk, desk.place, card(instance), before.word, before.comment);
    if (!before.word) setDraft(desk, card(instance), now === comment ? draft : ownWords(now, desk.reasons));
  }
  if (!holding.length) return undefined;
  if (decided.length === 1) return { word: "undone", manner: "good" };
  const numbers = holding.length === decided.length ? [decided.length] : [holding.length, decided.length];
  return { word: "undone_all", manner: "good", numbers };
}
