// Decisions: grades and outcomes, comments, the same for the rest, deferring, and undo.
import { cardIn, changeCard, currentCard, currentItem, isJudged, judgedState, openCard } from "./changes";
import { requestPaint, say, setJudgment, withText } from "./changes";
import { asksWhy, isFilledIn, needsComment, ownWords, repeatedComment } from "./comments";
import { isDecision, newKey, type Message } from "./messages";
import { advance, beginWork, dropGoal, show } from "./navigation";
import { withDeferral } from "./places";
import { isGrade } from "./scale";
import { NOTHING_SAID, type Card, type Draft, type PastDecision, type Said } from "./state";

const SAVED: Said = { word: "saved", manner: "good" };
const undoneAt = (place: number): Said => ({ word: "undone", manner: "good", numbers: [place] });

/** A grade or an outcome for the current card, asking for a reason if one is needed; an empty word takes back. */
export function choose(desk: Draft, word: string, since: number): void {
  if (desk.isBusy || desk.isClosed || (word && (isNotForThis(desk) || isWithoutText(desk, word, [currentCard(desk)])))) return;
  dropGoal(desk);
  const card = currentCard(desk);
  const isUnchanged = word !== card.judgment.word && card.text === card.judgment.comment;
  if (word && isUnchanged) setText(desk, ownWords(card.text, desk.page.reasons)); // the reason was the other word's
  if (!word || !asksWhy(card, word, desk.page)) return judge(desk, word, since);
  desk.reasonKey = undefined;
  desk.asking = { word, typed: card.text };
  const comment = isGrade(word) && isFilledIn(card) ? "" : currentCard(desk).text;
  desk.effects.push({ kind: "askWhy", word, comment, isNeeded: needsComment(word, desk.page) });
}

const setText = (desk: Draft, text: string): void =>
  changeCard(desk, desk.place, desk.current, (card) => ({ ...card, text }));

/** The answer of the box that asks why; none if it was left. */
export function why(desk: Draft, { reason }: { reason?: string }): void {
  const { word, typed } = desk.asking!;
  desk.asking = undefined;
  setText(desk, reason ?? typed);
  if (reason === undefined) desk.effects.push({ kind: "focus" });
  else judge(desk, word, desk.now);
}

const isNotForThis = (desk: Draft): boolean => isMeantForNext(desk) || bringUnseen(desk) || tellOfOtherWindow(desk);

/** The first key for a card that another window has judged only says so. */
function tellOfOtherWindow(desk: Draft): boolean {
  if (!desk.judgedElsewhere.has(desk.current)) return false;
  desk.judgedElsewhere = new Set([...desk.judgedElsewhere].filter((instance) => instance !== desk.current));
  say(desk, "other_window", "waiting");
  return true;
}

/** Documents without a text get a grade only on the second try: nobody can have read them here. */
function isWithoutText(desk: Draft, word: string, cards: readonly Card[]): boolean {
  const card = cards.find(isFilledIn);
  if (!isGrade(word) || !card || desk.warnedOf === card.instance) return false;
  desk.warnedOf = card.instance;
  say(desk, "no_text", "bad");
  return true;
}

/** Whether the next item should be on the screen by now: then no judgment is changed by accident. */
function isMeantForNext(desk: Draft): boolean {
  const isMeant = (desk.goal !== undefined || desk.isPassed) && !desk.isBusy && isJudged(currentCard(desk));
  if (isMeant) say(desk, "already", "waiting");
  return isMeant;
}

/** The first key shows an item that nobody can have seen yet. */
function bringUnseen(desk: Draft): boolean {
  if (!desk.isUnseen) return false;
  desk.isUnseen = false;
  bring(desk, desk.current);
  if (!isJudged(currentCard(desk))) say(desk, "unseen");
  return true;
}

function bring(desk: Draft, instance: string): void {
  desk.current = instance;
  desk.effects.push({ kind: "bring" });
}

/** After a change the item stays on the screen. */
function judge(desk: Draft, word: string, since: number): void {
  if (!beginWork(desk)) return;
  const card = currentCard(desk);
  const cards = word ? currentItem(desk).cards : [card]; // what is taken back stays current
  remember(desk, [decideNow(desk, card, word, card.text.trim())]);
  if (!word) setDraft(desk, card.instance, ownWords(card.judgment.comment, desk.page.reasons));
  if (isJudged(card)) {
    bring(desk, (cards[cards.indexOf(card) + 1] ?? card).instance);
  } else if (word) goOn(desk, since);
}

const setDraft = (desk: Draft, instance: string, text: string): void =>
  changeCard(desk, desk.place, instance, (card) => withText(card, text));

/** To another card of this item. */
export function turnTo(desk: Draft, instance: string): void {
  bring(desk, instance);
  requestPaint(desk);
}

/** To the next open card of this item, else to the next item. */
export function goOn(desk: Draft, since: number): void {
  const open = openCard(currentItem(desk));
  if (open) return turnTo(desk, open.instance);
  desk.isPassed = true;
  advance(desk, since);
}

function remember(desk: Draft, decisions: PastDecision[]): void {
  desk.history = [...desk.history, { place: desk.place, decisions }];
}

function decideNow(desk: Draft, card: Card, word: string, comment: string): PastDecision {
  const { instance, judgment: before } = card;
  decide(desk, desk.place, card, word, comment);
  return { instance, word, comment, draft: ownWords(card.text, desk.page.reasons), before };
}

function decide(desk: Draft, place: number, card: Card, word: string, text: string): void {
  const { instance, contentHash, judgment } = card;
  const [key, comment, passage] = [newKey(), word ? text : "", word ? card.passage : ""];
  const message = {
    key,
    assignment: desk.page.assignment,
    place,
    instance,
    content_hash: contentHash,
    after: judgment.key,
    word,
    comment,
    passage,
    wall_ms: Math.round(desk.now - desk.items.get(place)!.shownAt),
    active_ms: 0, // the page knows these two
    rulings: "",
  };
  keep(desk, message, SAVED);
  setJudgment(desk, place, instance, { word, comment, passage, key, at: desk.now });
  tell(desk, place, [instance], word);
}

/** What was decided is said at once, and stands there as saved when the server has it. */
function tell(desk: Draft, place: number, instances: readonly string[], word: string): void {
  const { cards } = desk.items.get(place)!;
  const numbers = cards.flatMap(({ instance }, index) => (instances.includes(instance) ? [index + 1] : []));
  const decided = { place, word, numbers, of: cards.length };
  desk.said = { word: "decided", manner: "kept", decided };
  desk.done = { ...desk.said, manner: "good" };
}

/** Has the page store a message in this browser; the outbox sends it. `done` is said when the server has it. */
function keep(desk: Draft, message: Message, done: Said): void {
  desk.storing = new Map(desk.storing).set(message.key, { message, before: { ...desk } });
  desk.said = NOTHING_SAID;
  desk.done = done;
  desk.isEarly = false;
  desk.outbox = { ...desk.outbox, waiting: desk.outbox.waiting + 1 };
}

export function stored(desk: Draft, { key }: { key: string }): void {
  desk.storing = new Map([...desk.storing].filter(([other]) => other !== key));
}

/** The browser cannot store it: it is reversed, and shown. */
export function notStored(desk: Draft, { key, error }: { key: string; error: string }): void {
  const { message, before } = desk.storing.get(key)!;
  const { place } = message;
  stored(desk, { key });
  desk.outbox = { ...desk.outbox, waiting: desk.outbox.waiting - 1 };
  if (before.isBusy) desk.history = before.history; // else it was a comment, which undo leaves alone
  if (isDecision(message)) {
    const { judgment, text } = cardIn(before.items.get(place)!, message.instance);
    setJudgment(desk, place, message.instance, judgment);
    const own = ownWords(text, desk.page.reasons);
    if (!judgment.word) changeCard(desk, place, message.instance, (card) => withText(card, own));
  } else desk.places = withDeferral(desk.places, place, before.places.deferred.has(place));
  desk.done = undefined;
  show(desk, { kind: "show", place, since: desk.now });
  say(desk, "unsafe", "bad", { detail: error });
}

/** Another comment on a judgment; one that is needed cannot be emptied. */
export function commented(desk: Draft, { place, instance }: { place: number; instance: string }): void {
  const card = cardIn(desk.items.get(place)!, instance);
  const { word, comment } = card.judgment;
  const text = card.text.trim();
  if (!word || text === comment) return;
  if (needsComment(word, desk.page) && text === "") changeCard(desk, place, instance, () => ({ ...card, text: comment }));
  else decide(desk, place, card, word, text);
}

/** Marks a part of the current document; without a text none is marked any longer. */
export function mark(desk: Draft, { text }: { text: string }): void {
  const card = currentCard(desk);
  if (!text && !card.passage) return say(desk, "no_passage");
  changeCard(desk, desk.place, desk.current, () => ({ ...card, passage: text }));
  say(desk, text ? "marked" : "unmarked");
  if (isJudged(card)) decide(desk, desk.place, currentCard(desk), card.judgment.word, card.judgment.comment);
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
  const { word } = before.judgment;
  if (isWithoutText(desk, word, rest)) return;
  remember(desk, rest.map((card) => decideNow(desk, card, word, repeatedComment(before, card, desk.page.reasons))));
  tell(desk, desk.place, rest.map(({ instance }) => instance), word);
  bring(desk, rest.at(-1)!.instance);
  if (isOpen) goOn(desk, since);
}

/** Defers the item until the end, or no longer. */
export function toggleDeferral(desk: Draft, since: number): void {
  if (isMeantForNext(desk) || judgedState(currentItem(desk)) || !beginWork(desk)) return;
  const isDeferred = !desk.places.deferred.has(desk.place);
  setDeferral(desk, desk.place, isDeferred);
  desk.history = [...desk.history, { place: desk.place, decisions: [], isDeferred }];
  if (isDeferred) advance(desk, since);
}

function setDeferral(desk: Draft, place: number, isDeferred: boolean): void {
  const message = { key: newKey(), assignment: desk.page.assignment, place, defer: isDeferred ? "yes" : "no" } as const;
  keep(desk, message, isDeferred ? { word: "deferred", manner: "good" } : SAVED);
  if (isDeferred) desk.said = { word: "deferred", manner: "kept" };
  desk.places = withDeferral(desk.places, place, isDeferred);
}

/** Shows what the last key of this window decided; `undoLast` follows when it is on the screen. */
export function undo(desk: Draft): void {
  if (!beginWork(desk)) return;
  const last = desk.history.at(-1);
  if (last) show(desk, { kind: "undo", place: last.place, since: desk.now });
  else say(desk, "nothing");
}

export function undoLast(desk: Draft): void {
  const { place, decisions, isDeferred } = desk.history.at(-1)!;
  if (isDeferred !== undefined) setDeferral(desk, place, !isDeferred);
  const undone = decisions.length ? takeBack(desk, decisions) : undoneAt(place);
  desk.history = desk.history.slice(0, -1);
  if (undone) desk.said = desk.done = undone;
  else say(desk, "elsewhere", "waiting");
}

/** What is said of it; nothing if other judgments hold by now. */
function takeBack(desk: Draft, decisions: readonly PastDecision[]): Said | undefined {
  const card = (instance: string): Card => cardIn(currentItem(desk), instance);
  const holding = decisions.filter(({ instance, word }) => card(instance).judgment.word === word);
  bring(desk, (holding[0] ?? decisions[0]!).instance);
  for (const { instance, before, comment, draft } of holding) {
    const now = card(instance).judgment.comment; // it may have been changed since
    decide(desk, desk.place, { ...card(instance), passage: before.passage ?? "" }, before.word, before.comment);
    if (!before.word) setDraft(desk, instance, now === comment ? draft : ownWords(now, desk.page.reasons));
  }
  if (!holding.length) return undefined;
  if (decisions.length === 1) return undoneAt(desk.place);
  const numbers = [...new Set([holding.length, decisions.length])];
  return { word: "undone_all", manner: "good", numbers };
}
