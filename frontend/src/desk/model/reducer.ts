// What happens at the desk, and what follows from it.
import { changeCard, currentItem, judgedState, openCard, say, setJudgment, withText } from "./changes";
import { calmed, click, clickOther, key, takeNext } from "./input";
import { commented, goOn, mark, notStored, stored, turnTo, undo, undoLast, why } from "./judging";
import type { Judgment, Message } from "./messages";
import { close, fetched, givenUp, isFinished, show, slow, step } from "./navigation";
import { batch, missingSoon, mountable, withoutOld, withoutSpare } from "./places";
import { answered, discard, news, received, resume, stocked } from "./server_news";
import type { Draft, History, Item, OutboxReport, State } from "./state";

/** `waiting`: messages that waited when the page was opened; `isOnItsWay`: one is about its item. */
interface Opening {
  item: Item;
  history: History;
  waiting: readonly Message[];
  isOnItsWay: boolean;
  isUndoing: boolean;
}

function start(desk: Draft, { history, waiting, item, isOnItsWay, isUndoing }: Opening): void {
  desk.history = history;
  resume(desk, waiting);
  received(desk, { items: [{ ...item, shownAt: desk.now }], expected: [] });
  desk.current = (openCard(currentItem(desk)) ?? item.cards[0]!).instance;
  const isDone = isOnItsWay && judgedState(currentItem(desk)) !== undefined;
  if (isDone && !isUndoing) goOn(desk, desk.now);
  else show(desk, { kind: "show", place: item.place, since: desk.now });
  if (isUndoing) undo(desk);
  prefetch(desk, 0);
}

interface Replacement {
  item: Item;
  instance?: string;
  judgment: Judgment;
}

/** An item as the server holds it, in the place of the one that is here. */
function replaced(desk: Draft, { item, instance, judgment }: Replacement): void {
  discard(desk, item.place);
  if (instance) setJudgment(desk, item.place, instance, judgment);
  received(desk, { items: [item], expected: [] });
  show(desk, { kind: "show", place: item.place, since: desk.now });
  if (instance && desk.place === item.place) desk.current = instance;
}

/** More than so many items are missing only if the saves do not bring them. */
const SOME = 3;

/** Requests what is wanted next, if more is missing than this. */
function prefetch(desk: Draft, most: number): void {
  const places = missingSoon(desk);
  if (places.length > Math.min(most, desk.page.ahead - 1)) request(desk, "prefetch", places);
}

function request(desk: Draft, kind: "prefetch" | "stock", places: number[]): void {
  if (desk.isClosed) return;
  requested(desk, { places });
  desk.effects.push({ kind, places });
}

/** Gets ready what is in stock, and then more into stock. */
function replenish(desk: Draft): void {
  const places = mountable(desk);
  if (desk.arrivingSince === undefined && places.length) desk.effects.push({ kind: "mount", places });
  prefetch(desk, SOME);
  const further = batch(desk);
  if (further.length > SOME) request(desk, "stock", further);
}

function requested(desk: Draft, { places }: { places: readonly number[] }): void {
  desk.requested = new Set([...desk.requested, ...places]);
}

interface At {
  place: number;
  instance: string;
}

const HANDLERS = {
  start, key, click, press: clickOther, calmed, step, why, commented, mark, stored, notStored,
  requested, received, fetched, slow, givenUp, answered, news, replaced, close,
  select: (desk: Draft, { place, instance }: At) => {
    if (desk.place === place && !desk.asking) desk.current = instance;
  },
  turn: (desk: Draft, { place, instance }: At) => {
    if (desk.place === place && desk.current !== instance && !desk.asking) turnTo(desk, instance);
  },
  typed: (desk: Draft, { place, instance, text }: At & { text: string }) =>
    changeCard(desk, place, instance, (card) => (card.text === text ? card : withText(card, text))),
  go: (desk: Draft, { place }: { place: number }) => {
    if (desk.isBusy || desk.asking) return;
    desk.heading = undefined;
    show(desk, { kind: "show", place, since: desk.now });
  },
  seen: (desk: Draft) => {
    desk.isUnseen = false;
  },
  painted: (desk: Draft) => {
    desk.paints--;
  },
  stocked: (desk: Draft, more: Parameters<typeof stocked>[1]) => {
    stocked(desk, more);
    replenish(desk);
  },
  cleanedUp: (desk: Draft) => {
    desk.items = withoutSpare(desk);
    desk.stock = withoutOld(desk);
    replenish(desk);
  },
  outbox: (desk: Draft, { report }: { report: OutboxReport }) => {
    desk.outbox = { ...report, waiting: report.waiting + desk.storing.size };
    if (desk.outbox.waiting) desk.done ??= { word: "saved", manner: "good" };
  },
  otherPerson: (desk: Draft, { name }: { name: string }) => {
    desk.other = name;
  },
  say: (desk: Draft, { word, manner }: { word: string; manner?: "bad" }) => say(desk, word, manner),
};

type Handlers = typeof HANDLERS;
type Payload<Handler> = Handler extends (desk: Draft, action: infer Of) => void ? (unknown extends Of ? object : Of) : never;
export type Action = { [Type in keyof Handlers]: { type: Type } & Payload<Handlers[Type]> }[keyof Handlers];

/** Ends work when everything is painted, and safe in this browser. */
function endWork(desk: Draft): void {
  if (desk.arrivedFor === "undo") undoLast(desk);
  desk.arrivedFor = undefined;
  if (desk.storing.size || desk.paints) return;
  if (desk.arrivingSince !== undefined) {
    if (desk.painted !== desk.place) desk.paintedAt = desk.now;
    desk.painted = desk.place;
    desk.effects.push({ kind: "painted", since: desk.arrivingSince });
    desk.arrivingSince = undefined;
  }
  if (!desk.goal) desk.isBusy = false;
}

/** To the list when all is judged and the server has everything, unless the assessor has gone elsewhere by then. */
function leaveWhenFinished(desk: Draft): void {
  const { waiting, unsettled } = desk.outbox;
  if (desk.isLeaving || desk.isClosed || desk.isBusy || waiting + unsettled || !isFinished(desk)) return;
  desk.isLeaving = true;
  desk.effects.push({ kind: "leave" });
}

export function reduce(state: State, action: Action & { now: number }): State {
  const desk: Draft = { ...state, now: action.now, effects: [] };
  (HANDLERS[action.type] as (desk: Draft, action: Action) => void)(desk, action);
  do endWork(desk);
  while (takeNext(desk));
  leaveWhenFinished(desk);
  return desk;
}
