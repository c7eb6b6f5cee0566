// What the server says, without being asked for an item: answers to decisions, and what other windows have done.
import { isJudged, receive, setJudgment } from "./changes";
import { isDecision, type Judgment, type Message } from "./messages";
import { DEFERRED, OPEN, withDeferral, withState } from "./places";
import type { Draft, Item } from "./state";

interface Received {
  /** None if the server did not answer. */
  items?: readonly Item[];
  expected: readonly number[];
}

/** Items that have come onto the page; those of `expected` that have not cannot be shown. */
export function received(desk: Draft, { items, expected }: Received): void {
  for (const item of items ?? []) receive(desk, item);
  settle(desk, expected, items !== undefined);
}

/** Items that have come into stock. */
export function stocked(desk: Draft, { places, expected }: { places: readonly number[]; expected: readonly number[] }): void {
  desk.stock = new Set([...desk.stock, ...places]);
  settle(desk, expected, true);
}

function settle(desk: Draft, expected: readonly number[], isAnswered: boolean): void {
  const isHere = (place: number): boolean => desk.items.has(place) || desk.stock.has(place);
  const absent = [...desk.places.absent, ...(isAnswered ? expected : [])].filter((place) => !isHere(place));
  desk.requested = new Set([...desk.requested].filter((place) => !expected.includes(place) && !isHere(place)));
  desk.places = { ...desk.places, absent: new Set(absent) };
}

/** What holds of a document after a decision made here or in another window, unless a later one is known here. */
export function answered(desk: Draft, { message, judgment }: { message: Message; judgment: Judgment }): void {
  if (!isDecision(message)) return;
  const { key, after, place, instance } = message;
  const known = desk.known.get(instance);
  const at = known?.key === judgment.key ? known.at : undefined;
  if (!known || known.key === key || known.key === after) learn(desk, place, instance, { ...judgment, at });
}

/** Notes which open cards on the screen another window has judged: the next key may be meant for an open one. */
function learn(desk: Draft, place: number, instance: string, judgment: Judgment): void {
  const card = desk.items.get(place)?.cards.find((other) => other.instance === instance);
  const isNews = place === desk.place && card !== undefined && !isJudged(card) && judgment.word !== "";
  if (isNews) desk.judgedElsewhere = new Set(desk.judgedElsewhere).add(instance);
  setJudgment(desk, place, instance, judgment);
}

/** Messages that waited when the page was opened. */
export function resume(desk: Draft, messages: readonly Message[]): void {
  for (const message of messages) {
    if (isDecision(message)) desk.known = new Map(desk.known).set(message.instance, message);
    else desk.places = withDeferral(desk.places, message.place, message.defer === "yes");
  }
}

/** What is in stock of a place is out of date. */
export function discard(desk: Draft, place: number): void {
  desk.stock = new Set([...desk.stock].filter((stocked) => stocked !== place));
}

interface News {
  states: string;
  deferred: readonly number[];
  /** The one on the screen. */
  item?: Item;
  /** What the server did not have yet. */
  waiting: readonly Message[];
}

/** What the server holds; what waits is not changed. */
export function news(desk: Draft, { states, deferred, item, waiting }: News): void {
  for (const [index, state] of [...states].entries()) {
    const place = index + 1;
    if (waiting.some((message) => message.place === place)) continue;
    if (state !== desk.places.states[index]) discard(desk, place); // it was judged elsewhere
    desk.places = withDeferral(desk.places, place, deferred.includes(place));
    if (state === OPEN || state === DEFERRED) desk.places = withState(desk.places, place);
  }
  for (const { instance, judgment } of item?.cards ?? []) {
    const known = desk.items.get(item!.place)?.cards.find((card) => card.instance === instance)?.judgment.key;
    const isWaiting = waiting.some((message) => isDecision(message) && message.instance === instance);
    if (known !== judgment.key && !isWaiting) learn(desk, item!.place, instance, judgment);
  }
}
