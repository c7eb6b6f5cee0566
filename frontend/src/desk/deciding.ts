// Decisions: made by a key or a click, safe in this browser while the next item comes on the screen, and undone.
import { newKey, type Decision, type Message, type Standing } from "./decision";
import { askWhy, inTurn, ownWords } from "./dialogs";
import { advance, goOn } from "./going";
import { needsComment, type Card, type ItemView } from "./item";
import { bring, turnTo } from "./mounting";
import { assignment, rulings, say, words } from "./page";
import { takeLast, type Decided } from "./past";
import { bringUnseen, show, showProgress } from "./screen";
import { at, clock, known, past, queue } from "./state";
import { alone, stay } from "./turns";

/** A grade or an outcome for the current candidate, asking for a reason where one is needed; an empty word takes back. */
export async function choose(word: string, since = performance.now()): Promise<void> {
  if (at.isBusy || at.isClosed || (word && (isMeantForNext() || bringUnseen()))) return;
  stay();
  const item = at.view;
  const card = item.current;
  const typed = card.comment.value;
  const isOfAnother = word !== card.standing.word && typed === card.standing.comment;
  if (word && isOfAnother) card.comment.value = ownWords(typed); // without its reason
  if (word && card.asksWhy(word)) {
    at.asked = performance.now();
    const why = await inTurn(() => askWhy(word, card.comment.value, needsComment(word)));
    card.comment.value = why ?? typed;
    if (why === undefined) return card.element.focus({ preventScroll: true });
    since = performance.now();
  }
  await alone(async () => {
    const isChange = card.isDecided;
    const { comment } = card.standing;
    decideAnew(item, card, word);
    if (!word) card.draft(ownWords(comment));
    if (isChange) await stayAt(item.cards[item.cards.indexOf(card) + 1] ?? card);
    else if (word) await goOn(since);
  });
}

/** Whether it comes where the next item should be on the screen by now: then nothing that stands is changed by it. */
function isMeantForNext(): boolean {
  const isWaiting = at.lacking !== undefined || at.passed === at.view;
  const isMeant = isWaiting && !at.isBusy && at.view.current.isDecided;
  if (isMeant) say(words.stands!, "bad");
  return isMeant;
}

/** What was changed stays on the screen, with the turn of the candidate after it. */
async function stayAt(card: Card): Promise<void> {
  turnTo(card);
  card.element.focus({ preventScroll: true });
  at.view.reveal();
  await at.safe;
}

/** A decision that can be undone; `isSame`: together with the one before. */
function decideAnew(item: ItemView, card: Card, word: string, comment = card.comment.value.trim(), isSame = false): void {
  const draft = ownWords(card.comment.value);
  past.push({ place: item.place, instance: card.instance, word, comment, draft, before: card.standing, isSame });
  decide(item, card, word, comment);
}

function decide(item: ItemView, card: Card, word: string, comment: string): void {
  clock.tick();
  const wall = Math.round(performance.now() - item.shown);
  const decision: Decision = {
    key: newKey(),
    assignment,
    place: item.place,
    instance: card.instance,
    content_hash: card.contentHash,
    after: card.standing.key,
    word,
    comment: word ? comment : "",
    active_ms: Math.min(Math.round(card.activeMs), wall), // the two clocks start a moment apart
    wall_ms: wall,
    rulings: rulings(),
  };
  card.activeMs = 0;
  const [before, typed] = [card.standing, card.comment.value];
  stand(item, card, { word, comment: decision.comment, key: decision.key });
  keep(decision, words.saved!, () => {
    stand(item, card, before);
    if (!before.word) card.draft(ownWords(typed));
  });
}

/** Keeps something in this browser; the outbox sends it. `done` is said when the server has it; `undo` is for a browser
 * that cannot keep it. */
function keep(message: Message, done: string, undo: () => void): void {
  say("");
  at.done = done;
  at.isEarly = false;
  document.documentElement.dataset.waiting = String(Number(document.documentElement.dataset.waiting) + 1);
  at.safe = Promise.all([at.safe, at.outbox.add(message)]).catch((error: unknown) => {
    undo();
    at.done = "";
    void show(message.place);
    say(`${words.unsafe} ${String(error)}`, "bad");
  });
}

/** A comment on what was decided; one that is needed is not taken away. */
export function changeComment(item: ItemView, card: Card): void {
  const { word, comment } = card.standing;
  if (needsComment(word) && card.comment.value.trim() === "") card.comment.value = comment;
  else decide(item, card, word, card.comment.value.trim());
}

export function stand(item: ItemView, card: Card, standing: Standing): void {
  known.set(card.instance, standing);
  card.stand(standing);
  queue.set(item.place, item.state);
  showProgress();
}

/** What the last key of this window decided is taken back, and its first candidate shown. */
export const undo = (): Promise<void> =>
  alone(async () => {
    const last = past.at(-1);
    if (!last) return say(words.nothing!);
    const item = await show(last.place);
    if (!item) return;
    const decided = takeLast(past).filter((one) => "instance" in one);
    if ("isOff" in last) setOff(last.place, !last.isOff);
    const said = "isOff" in last ? words.undone : takeBack(item, decided);
    if (said === undefined) return say(words.elsewhere!, "bad");
    at.done = said;
    await at.safe;
    say(said, "good");
  });

/** No longer where another decision holds by now. What is said of it; undefined where nothing was taken back. */
function takeBack(item: ItemView, decided: Decided[]): string | undefined {
  const held = decided.filter((one) => item.find(one.instance)!.standing.word === one.word);
  bring(item.find((held[0] ?? decided[0]!).instance)!);
  for (const { instance, before, comment, draft } of held) {
    const card = item.find(instance)!;
    const stood = card.standing.comment;
    decide(item, card, before.word, before.comment);
    if (!before.word) card.draft(stood === comment ? draft : ownWords(stood)); // it may have been changed since
  }
  if (!held.length) return undefined;
  const number = held.length === decided.length ? "" : `${held.length} ${words.place} `;
  return decided.length === 1 ? words.undone : `${words.undone_all} ${number}${decided.length}`;
}

/** The grade of the candidate before for all that are open in this item; where none is, for all that follow. */
export async function sameForTheRest(since: number): Promise<void> {
  if (isMeantForNext() || bringUnseen()) return;
  await alone(async () => {
    const item = at.view;
    if (item.cards.length === 1) return say(words.single!);
    const index = item.cards.indexOf(item.current);
    const before = item.cards.slice(0, index).reverse().find((card) => card.isDecided);
    if (!before) return say(item.cards[0]!.isDecided ? words.at_first! : words.first!);
    const isOpen = item.open !== undefined;
    const rest = isOpen ? item.cards.filter((one) => !one.isDecided) : item.cards.slice(index);
    for (const card of rest) {
      turnTo(card);
      decideAnew(item, card, before.standing.word, sameComment(before, card), card !== rest[0]);
    }
    if (isOpen) await goOn(since);
  });
}

/** A reason goes with its outcome; what is written at a post stays its own. */
function sameComment({ standing: { word, comment } }: Card, card: Card): string {
  const own = ownWords(card.written);
  if (!own || own === ownWords(comment)) return comment;
  return /^\d$/.test(word) || !comment ? own : `${comment}${ownWords(comment) ? "\n" : ": "}${own}`;
}

function setOff(place: number, on: boolean): void {
  const before = queue.isDeferred(place);
  queue.defer(place, on);
  keep({ key: newKey(), assignment, place, defer: on ? "yes" : "no" }, on ? words.deferred! : words.saved!, () =>
    queue.defer(place, before),
  );
  showProgress();
}

/** Puts the item off until the end, or no longer. */
export async function putOff(): Promise<void> {
  if (isMeantForNext() || at.view.state !== undefined) return;
  await alone(async () => {
    const { place } = at.view;
    const on = !queue.isDeferred(place);
    past.push({ place, isOff: on });
    setOff(place, on);
    if (on) await advance();
    await at.safe;
  });
}
