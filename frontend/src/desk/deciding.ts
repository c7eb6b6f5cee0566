// Decisions: made by a key or a click, safe in this browser while the next item comes on the screen, and undone.
import { newKey, type Decision, type Message, type Standing } from "./decision";
import { askWhy, inTurn } from "./dialogs";
import { advance, goOn } from "./going";
import { needsComment, type Card, type ItemView } from "./item";
import { bring, settleState, turnTo } from "./mounting";
import { assignment, rulings, say, words } from "./page";
import { DEFERRED, OPEN } from "./queue";
import { show, showProgress } from "./screen";
import { at, clock, known, past, queue } from "./state";
import { alone, stay } from "./turns";

/** A grade or an outcome for the current candidate, asking for a reason where one is needed; an empty word takes back. */
export async function choose(word: string, since = performance.now()): Promise<void> {
  if (at.isBusy || at.isClosed) return;
  stay();
  const item = at.view;
  const card = item.current;
  if (word && card.asksWhy(word)) {
    const why = await inTurn(() => askWhy(word, card.comment.value, needsComment(word)));
    if (why === undefined) return card.element.focus({ preventScroll: true });
    card.comment.value = why;
    since = performance.now();
  }
  await alone(async () => {
    const isChange = card.isDecided;
    decideAnew(item, card, word);
    if (isChange) await stayAt(item.cards[item.cards.indexOf(card) + 1] ?? card);
    else if (word) await goOn(since);
  });
}

/** What was changed stays on the screen, with the turn of the candidate after it. */
async function stayAt(card: Card): Promise<void> {
  turnTo(card);
  card.element.focus({ preventScroll: true });
  at.view.reveal();
  await at.safe;
}

/** A decision that can be undone. */
function decideAnew(item: ItemView, card: Card, word: string, comment?: string): void {
  past.push({ place: item.place, instance: card.instance, word, before: card.standing });
  decide(item, card, word, comment);
}

function decide(item: ItemView, card: Card, word: string, comment = card.comment.value.trim()): void {
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
  const before = card.standing;
  stand(item, card, { word, comment: decision.comment, key: decision.key });
  keep(decision, words.saved!, () => stand(item, card, before));
}

/** Keeps something in this browser; the outbox sends it. `done` is said when the server has it; `undo` is for a browser
 * that cannot keep it. */
function keep(message: Message, done: string, undo: () => void): void {
  say("");
  at.done = done;
  document.documentElement.dataset.waiting = String(Number(document.documentElement.dataset.waiting) + 1);
  at.safe = Promise.all([at.safe, at.outbox.add(message)]).catch((error: unknown) => {
    undo();
    void show(message.place);
    say(`${words.unsafe} ${String(error)}`, "bad");
  });
}

/** A comment on what was decided; one that is needed is not taken away. */
export function changeComment(item: ItemView, card: Card): void {
  const { word, comment } = card.standing;
  if (needsComment(word) && card.comment.value.trim() === "") card.comment.value = comment;
  else decide(item, card, word);
}

export function stand(item: ItemView, card: Card, standing: Standing): void {
  known.set(card.instance, standing);
  card.stand(standing);
  settleState(item);
  showProgress();
}

/** The last decision of this window is taken back, and its candidate shown; no longer where another one holds by now. */
export const undo = (): Promise<void> =>
  alone(async () => {
    const last = past.at(-1);
    if (!last) return say(words.nothing!);
    const item = await show(last.place);
    if (!item) return;
    past.pop();
    if ("isOff" in last) {
      setOff(last.place, !last.isOff);
    } else {
      const card = item.find(last.instance)!;
      bring(card);
      if (card.standing.word !== last.word) return say(words.elsewhere!, "bad");
      decide(item, card, last.before.word, last.before.comment);
    }
    at.done = words.undone!;
    await at.safe;
    say(words.undone!, "good");
  });

/** The grade of the candidate before for all that are open in this item; where none is, for all that follow. */
export const sameForTheRest = (since: number): Promise<void> =>
  alone(async () => {
    const item = at.view;
    if (item.cards.length === 1) return say(words.single!);
    const index = item.cards.indexOf(item.current);
    const before = item.cards.slice(0, index).reverse().find((card) => card.isDecided);
    if (!before) return say(words.first!);
    const isOpen = item.open !== undefined;
    for (const card of isOpen ? item.cards.filter((one) => !one.isDecided) : item.cards.slice(index)) {
      turnTo(card);
      decideAnew(item, card, before.standing.word, before.standing.comment);
    }
    if (isOpen) await goOn(since);
  });

function setOff(place: number, on: boolean): void {
  const before = queue.state(place);
  queue.set(place, on ? DEFERRED : OPEN);
  keep({ key: newKey(), assignment, place, defer: on ? "yes" : "no" }, on ? words.deferred! : words.saved!, () =>
    queue.set(place, before),
  );
  showProgress();
}

/** Puts the item off until the end, or no longer. */
export const putOff = (): Promise<void> =>
  alone(async () => {
    const { place, state } = at.view;
    if (state !== undefined) return;
    const on = queue.state(place) !== DEFERRED;
    past.push({ place, isOff: on });
    setOff(place, on);
    if (on) await advance();
    await at.safe;
  });
