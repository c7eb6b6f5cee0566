// Which item is on the screen: how one is wanted, fetched and shown.
import { openCard, putItem, requestPaint, say } from "./changes";
import { neighbour, openAfter, openPlaces } from "./places";
import { REPORT, type Draft, type Goal, type State } from "./state";

/** The topic was taken back: what is here can be read, and a link leads home. */
export function close(desk: Draft): void {
  desk.isClosed = true;
  desk.goal = undefined;
  say(desk, "closed", "bad");
}

export function dropGoal(desk: Draft): void {
  if (desk.goal) say(desk, REPORT);
  desk.goal = undefined;
  desk.wish++;
}

/** Starts work during which nothing else can be decided; false if that is not possible now. */
export function beginWork(desk: Draft): boolean {
  if (desk.isBusy || desk.isClosed) return false;
  dropGoal(desk);
  return (desk.isBusy = true);
}

/** Brings the item of a place on the screen, as soon as it is here. */
export function show(desk: Draft, goal: Goal): void {
  const { place } = goal;
  const wait = desk.goal?.place === place ? desk.goal.wait : undefined;
  dropGoal(desk);
  if (desk.items.has(place)) return arrive(desk, goal);
  if (desk.isClosed) return close(desk);
  if (!wait) say(desk, "loading");
  desk.goal = { ...goal, wait: wait ?? "loading" };
  desk.effects.push({ kind: "fetch", place, wish: desk.wish });
}

/** To the first open item that follows, past those that the server could not send. */
export function advance(desk: Draft, since: number, tried: readonly number[] = []): void {
  desk.heading = undefined;
  const place = openPlaces(desk).find((next) => !tried.includes(next) && isOpen(desk, next) !== false);
  if (place !== undefined) show(desk, { kind: "advance", place, since, tried });
  else if (isFinished(desk)) say(desk, "end");
}

/** Undefined if its item is not here: it may be judged, and the server not know. */
function isOpen(desk: State, place: number): boolean | undefined {
  const item = desk.items.get(place);
  return item && openCard(item) !== undefined;
}

/** Whether everything is judged and nothing else came on the screen since. */
export const isFinished = ({ isPassed, places, place }: State): boolean =>
  isPassed && openAfter(places, place).length === 0;

/** To the place before or after, past those that cannot be shown. */
export function step(desk: Draft, { by, from = desk.place }: { by: 1 | -1; from?: number }): void {
  const place = neighbour(desk, from, by);
  if (place === undefined) {
    if (desk.page.list && by > 0) say(desk, "walk_end");
  } else if (!desk.isBusy) {
    desk.heading = by;
    show(desk, { kind: "step", place, by, since: desk.now });
  }
}

interface Fetched {
  wish: number;
  result: "batch" | "away" | "gone" | "session";
  isWriting: boolean;
}

/** The result of a request; the item has come before it. `isWriting`: a comment is being written. */
export function fetched(desk: Draft, { wish, result, isWriting }: Fetched): void {
  const { goal } = desk;
  if (!goal || wish !== desk.wish) return;
  const isJudged = goal.kind === "advance" && isOpen(desk, goal.place) === false; // as only this window knows
  if (isJudged) return advance(desk, goal.since, goal.tried);
  if (desk.items.has(goal.place)) return arrive(desk, goal, isWriting);
  if (result === "away") return postpone(desk, goal);
  if (result === "session") {
    desk.goal = { ...goal, wait: "loading" };
    desk.outbox = { ...desk.outbox, mode: "session" };
    return say(desk, REPORT);
  }
  dropGoal(desk);
  if (result === "gone") close(desk);
  else if (goal.kind === "step") step(desk, { by: goal.by!, from: goal.place });
  else if (goal.kind === "advance") advance(desk, goal.since, [...goal.tried!, goal.place]);
}

/** The server is away: judging goes on with what is here. */
function postpone(desk: Draft, goal: Goal): void {
  const place = goal.kind === "advance" ? openPlaces(desk).find((next) => isOpen(desk, next)) : undefined;
  if (place !== undefined) show(desk, { ...goal, place });
  else goWithout(desk, goal);
}

/** The page says that the item is late, and other things can be decided. */
function goWithout(desk: Draft, goal: Goal): void {
  desk.isBusy = false;
  if (goal.wait === "late") return; // else it would be announced again
  desk.goal = { ...goal, wait: "late" };
  say(desk, REPORT);
}

/** The server has not answered for a while. */
export function slow(desk: Draft, { wish }: { wish: number }): void {
  if (desk.goal && wish === desk.wish) goWithout(desk, desk.goal);
}

/** The assessor has not signed in. */
export function givenUp(desk: Draft, { wish }: { wish: number }): void {
  if (wish === desk.wish) desk.goal = undefined;
}

/** Brings an item on the screen, unless a comment is being written on the one before. */
function arrive(desk: Draft, { kind, place, since }: Goal, isWriting = false): void {
  dropGoal(desk);
  const isNew = place !== desk.place;
  if (isNew && isWriting) return;
  const item = desk.items.get(place)!;
  if (isNew) {
    desk.isUnseen = false;
    desk.judgedElsewhere = new Set();
    putItem(desk, { ...item, shownAt: desk.now });
  }
  desk.place = place;
  desk.current = (openCard(item) ?? item.cards[0]!).instance;
  desk.isPassed = desk.isLeaving = false;
  desk.arrivingSince = since;
  desk.arrivedFor = kind;
  desk.effects.push({ kind: "arrive", isNew });
  requestPaint(desk);
}
