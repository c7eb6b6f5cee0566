// What the server says, without being asked for an item: answers to decisions, and what other windows have done.
import { receive, setJudgment } from "./changes";
import { isDecision, type Judgment, type Message } from "./messages";
import { DEFERRED, OPEN, withDeferral, withState } from "./places";
import type { Draft, Item, State } from "./state";

/** What the server holds. `item`: the one that was on the screen; `waiting`: what the server did not have yet; `asked`: the
 * state when it was asked. */
interface News {
  states: string;
  deferred: readonly number[];
  item?: Item;
  waiting: readonly Message[];
  asked: State;
}

/** Items that have come; those of `expected` that have not cannot be shown. */
export function received(desk: Draft, { items, expected }: { items: readonly Item[]; expected: readonly number[] }): void {
  for (const item of items) receive(desk, item);
  const lost = expected.filter((place) => !desk.items.has(place));
  const requested = new Set(desk.requested);
  const absent = new Set(desk.places.absent);
  for (const place of [...expected, ...items.map((item) => item.place)]) requested.delete(place);
  for (const { place } of items) absent.delete(place);
  for (const place of lost) absent.add(place);
  desk.requested = requested;
  desk.places = { ...desk.places, absent };
}

/** What holds of a document after a decision made here or in another window, unless a later one is known here. */
export function answered(desk: Draft, { message, judgment }: { message: Message; judgment: Judgment }): void {
  if (!isDecision(message)) return;
  const { key, after, place, instance } = message;
  const known = desk.known.get(instance)?.key;
  if (known === undefined || known === key || known === after) setJudgment(desk, place, instance, judgment);
}

/** Messages that waited when the page was opened. */
export function resume(desk: Draft, messages: readonly Message[]): void {
  for (const message of messages) {
    if (isDecision(message)) desk.known = new Map(desk.known).set(message.instance, message);
    else desk.places = withDeferral(desk.places, message.place, message.defer === "yes");
  }
}

/** What waits, or was decided since the server was asked, is not changed. */
export function news(desk: Draft, { states, deferred, item, waiting, asked }: News): void {
  for (const [index, state] of [...states].entries()) {
    const place = index + 1;
    const isUnchanged = asked.places.states[index] === desk.places.states[index];
    if (!isUnchanged || waiting.some((message) => message.place === place)) continue;
    desk.places = withDeferral(desk.places, place, deferred.includes(place));
    if (state === OPEN || state === DEFERRED) desk.places = withState(desk.places, place);
  }
  for (const card of item?.cards ?? []) catchUpCard(desk, card.instance, card.judgment, waiting, asked);
}

function catchUpCard(desk: Draft, instance: string, judgment: Judgment, waiting: readonly Message[], asked: State): void {
  const { place } = asked;
  const keyIn = ({ items }: State): string | undefined =>
    items.get(place)?.cards.find((card) => card.instance === instance)?.judgment.key;
  const known = keyIn(asked);
  const isWaiting = waiting.some((message) => isDecision(message) && message.instance === instance);
  if (known === keyIn(desk) && known !== judgment.key && !isWaiting) setJudgment(desk, place, instance, judgment);
}

