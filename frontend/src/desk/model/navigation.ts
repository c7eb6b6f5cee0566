// Which item is on the screen: how one is wanted, fetched, awaited and shown.
import { openCard, putItem, requestPaint, say } from "./changes";
import { neighbour, openPlaces } from "./order";
import { openAfter } from "./places";
import { REPORT, type Draft, type Goal, type Item, type State } from "./state";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** The result of a request for the item of a place, which has come before it. `isWriting`: a comment is being written. */
interface Fetched {
  wish: number;
  place: number;
  result: "batch" | "away" | "gone" | "session";
  isWriting: boolean;
}

/** The topic was taken back: what is here can be read, and a link leads home. */
export function close(desk: Draft): void {
  desk.isClosed = true;
  desk.goal = undefined;
  say(desk, "closed", "bad");
}

function stopWaiting(desk: Draft): void {
  desk.awaited = undefined;
  say(desk, REPORT);
}

/** Nothing is wanted any longer, and nothing awaited except `place`. */
export function dropGoal(desk: Draft, place?: number): void {
  if (desk.awaited && desk.awaited.place !== place) stopWaiting(desk);
  desk.goal = undefined;
  desk.wish++;
}

/** Starts work during which nothing else can be decided; false if that is not possible now. */
export function beginWork(desk: Draft): boolean {
  if (desk.isBusy || desk.isClosed) return false;
  dropGoal(desk);
  desk.isBusy = true;
  desk.afterwards = undefined;
  return true;
}

export function show(desk: Draft, goal: Exclude<Goal, { kind: "advance" }>): void {
  dropGoal(desk, desk.items.has(goal.place) ? undefined : goal.place);
  desk.goal = goal;
  pursue(desk);
}

/** To the first open item that follows. It is passed over if it cannot be shown, and, while the server is away, if others
 * are here already; if none is, it comes as soon as possible. */
export function advance(desk: Draft, since: number): void {
  desk.heading = undefined;
  desk.goal = { kind: "advance", tried: [], since };
  pursue(desk);
}

/** To the place before or after, past those that cannot be shown. */
export function step(desk: Draft, { by, from = desk.place }: { by: 1 | -1; from?: number }): void {
  const place = neighbour(desk, from, by);
  if (place === undefined) {
    desk.goal = undefined;
    if (desk.list && by > 0) say(desk, "walk_end");
  } else if (!desk.isBusy) {
    desk.heading = by;
    show(desk, { kind: "step", place, by, since: desk.now });
  }
}

function candidate(desk: State, { tried, late }: Extract<Goal, { kind: "advance" }>): number | undefined {
  return openPlaces(desk).find((place) => {
    const item = desk.items.get(place); // it may be judged, and the server not know
    return !tried.includes(place) && (item ? openCard(item) !== undefined : late === undefined);
  });
}

function pursue(desk: Draft, isWriting = false): void {
  const { goal } = desk;
  if (!goal) return;
  const place = goal.kind === "advance" ? candidate(desk, goal) : goal.place;
  if (place === undefined) return endSearch(desk, goal);
  const item = desk.items.get(place);
  if (item) arrive(desk, item, goal, isWriting);
  else request(desk, place);
}

function endSearch(desk: Draft, goal: Goal): void {
  if (goal.kind === "advance" && goal.late !== undefined) {
    desk.goal = { kind: "show", place: goal.late, since: goal.since };
    return pursue(desk);
  }
  desk.goal = undefined;
  if (isFinished(desk)) say(desk, "end");
}

/** Whether everything is judged and nothing else came on the screen since. */
export const isFinished = ({ isPassed, places, place }: State): boolean =>
  isPassed === true && openAfter(places, place).length === 0;

function request(desk: Draft, place: number): void {
  if (desk.isClosed) return close(desk);
  if (desk.awaited?.place !== place) {
    say(desk, "loading");
    desk.awaited = { place, isShown: false };
  }
  desk.effects.push({ kind: "fetch", place, wish: desk.wish });
}

export function fetched(desk: Draft, { wish, place, result, isWriting }: Fetched): void {
  if (wish !== desk.wish || !desk.goal) return;
  const isHere = desk.items.has(place); // it may have come otherwise
  if (result === "away" && !isHere) return postpone(desk, place, desk.goal);
  stopWaiting(desk);
  if (isHere) return pursue(desk, isWriting);
  if (result === "gone") return close(desk);
  if (result === "batch") return passOver(desk, place, desk.goal);
  say(desk, desk.other ? "other" : "session", "bad", { name: desk.other });
  desk.effects.push({ kind: "signIn", wish });
}

/** The server cannot show it. */
function passOver(desk: Draft, place: number, goal: Goal): void {
  if (goal.kind === "step") {
    desk.goal = undefined;
    return step(desk, { by: goal.by, from: place });
  }
  desk.goal = goal.kind === "advance" ? { ...goal, tried: [...goal.tried, place] } : undefined;
  pursue(desk);
}

/** The server is away. */
function postpone(desk: Draft, place: number, goal: Goal): void {
  if (goal.kind === "advance") {
    desk.goal = { ...goal, tried: [...goal.tried, place], late: goal.late ?? place };
    return pursue(desk);
  }
  const pause = goal.pause ?? FIRST_PAUSE;
  desk.goal = { ...goal, pause: Math.min(2 * pause, LONGEST_PAUSE) };
  goWithout(desk, place);
  desk.effects.push({ kind: "retry", wish: desk.wish, pause });
}

/** The page says that the item is still loading, and other things can be decided. */
function goWithout(desk: Draft, place: number): void {
  desk.isBusy = false;
  if (desk.awaited?.place === place && desk.awaited.isShown) return; // else it would be announced again
  desk.awaited = { place, isShown: true };
  say(desk, REPORT);
}

/** The server has not answered for a while. */
export function slow(desk: Draft, { wish }: { wish: number }): void {
  if (wish === desk.wish && desk.goal && desk.awaited) goWithout(desk, desk.awaited.place);
}

/** Asks again, unless the assessor has left the box that asks for the password. */
export function retry(desk: Draft, { wish, isLeft, isWriting }: Omit<Fetched, "place" | "result"> & { isLeft: boolean }): void {
  if (wish !== desk.wish) return;
  if (isLeft) desk.goal = undefined;
  pursue(desk, isWriting);
}

/** Brings an item on the screen, unless a comment is being written on the one before. */
function arrive(desk: Draft, item: Item, goal: Goal, isWriting: boolean): void {
  dropGoal(desk);
  const isNew = item.place !== desk.place;
  if (isNew && isWriting) return;
  if (isNew) {
    desk.isUnseen = false;
    putItem(desk, { ...item, shownAt: desk.now });
  }
  desk.place = item.place;
  desk.current = (openCard(item) ?? item.cards[0]!).instance;
  desk.isPassed = desk.isLeaving = false;
  desk.isArriving = true;
  desk.since = goal.since;
  desk.arrivedFor = goal.kind;
  desk.effects.push({ kind: "arrive", isNew });
  requestPaint(desk);
}
