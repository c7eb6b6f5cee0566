// Decisions: made by a key or a click, safe in this browser while the next item comes on the screen, and undone.
import { painted } from "../frame";
import type { Decision, Standing } from "./decision";
import { askWhy } from "./dialogs";
import type { Card, ItemView } from "./item";
import { assignment, listAddress, say, words } from "./page";
import { DEFERRED, OPEN } from "./queue";
import { load, settleState, show, showProgress, turnTo } from "./screen";
import { defer } from "./server";
import { alone, at, clock, known, past, queue } from "./state";

/** A grade or an outcome for the current candidate, asking for a reason where one is needed. */
export async function choose(word: string, since = performance.now()): Promise<void> {
  if (at.isBusy) return;
  const card = at.view.current;
  if (word === "") return takeBack(card);
  if (card.asksWhy(word)) {
    const why = await askWhy(word, card.comment.value, word !== "not_matching");
    if (why === undefined) return card.element.focus({ preventScroll: true });
    card.comment.value = why;
    since = performance.now();
  }
  await alone(async () => {
    past.push({ place: at.view.place, instance: card.instance, before: card.standing });
    decide(card, word);
    await goOn(since);
  });
}

function takeBack(card: Card): void {
  past.push({ place: at.view.place, instance: card.instance, before: card.standing });
  decide(card, "");
}

/** Keeps a decision in this browser; the outbox sends it. */
export function decide(card: Card, word: string, comment = card.comment.value.trim()): void {
  clock.tick();
  say("");
  at.isUndone = false;
  const decision: Decision = {
    key: crypto.randomUUID(),
    assignment,
    place: at.view.place,
    instance: card.instance,
    content_hash: card.contentHash,
    after: card.standing.key,
    word,
    comment: word ? comment : "",
    active_ms: Math.round(card.activeMs),
    wall_ms: Math.round(performance.now() - at.view.shown),
  };
  card.activeMs = 0;
  const [item, before] = [at.view, card.standing];
  stand(item, card, { word, comment: decision.comment, key: decision.key });
  document.documentElement.dataset.waiting = String(Number(document.documentElement.dataset.waiting) + 1);
  at.safe = Promise.all([at.safe, at.outbox.add(decision)]).catch((error: unknown) => {
    stand(item, card, before);
    void show(item.place);
    say(`${words.unsafe} ${String(error)}`, "bad");
  });
}

export function stand(item: ItemView, card: Card, standing: Standing): void {
  known.set(card.instance, standing);
  card.stand(standing);
  settleState(item);
  showProgress();
}

/** To the next open candidate: of this item, else of the next one; after the last to the list. */
export async function goOn(since: number): Promise<void> {
  const open = at.view.open;
  if (open) {
    turnTo(open);
    open.element.focus({ preventScroll: true });
    open.element.scrollIntoView({ block: "start" });
    await Promise.all([painted(), at.safe]);
    return;
  }
  for (let next = queue.next(at.view.place); next !== undefined; next = queue.next(next)) {
    const item = queue.get(next) ?? (await load(next));
    if (item.open) return show(next, since); // else it was decided before, and only the server does not know yet
  }
  say(words.end!);
  void finish(at.view.place);
}

/** To the list, when the server has everything; unless the assessor has gone elsewhere by then. */
async function finish(place: number): Promise<void> {
  await at.safe;
  if (document.documentElement.dataset.waiting !== "0") {
    await new Promise((resolve) => document.addEventListener("assess:sent", resolve, { once: true }));
  }
  if (at.view.place === place && queue.next(place) === undefined) location.assign(listAddress);
}

/** The last decision of this window is taken back, and its candidate shown. */
export const undo = (): Promise<void> =>
  alone(async () => {
    const last = past.pop();
    if (!last) return say(words.nothing!);
    await show(last.place);
    const card = at.view.find(last.instance)!;
    turnTo(card);
    card.element.focus({ preventScroll: true });
    decide(card, last.before.word, last.before.comment);
    at.isUndone = true;
    await at.safe;
    say(words.undone!, "good");
  });

/** The grade of the candidate before for all that are open in this item. */
export const sameForTheRest = (since: number): Promise<void> =>
  alone(async () => {
    const index = at.view.cards.indexOf(at.view.current);
    const before = at.view.cards.slice(0, index).reverse().find((card) => card.isDecided);
    if (!before) return;
    for (const card of at.view.cards.filter((one) => !one.isDecided)) {
      past.push({ place: at.view.place, instance: card.instance, before: card.standing });
      turnTo(card);
      decide(card, before.standing.word, before.standing.comment);
    }
    await goOn(since);
  });

export async function putOff(): Promise<void> {
  const { place } = at.view;
  const on = queue.state(place) !== DEFERRED;
  if (at.view.state !== undefined) return;
  if (!(await defer(assignment, place, on))) return say(words.offline!, "bad");
  queue.set(place, on ? DEFERRED : OPEN);
  say(on ? words.deferred! : "");
  const next = queue.next(place);
  if (on && next !== undefined) await show(next);
  else showProgress();
}
