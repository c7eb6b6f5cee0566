// The places of an assignment, counted from 1, each with a state of one letter, and which of them come next: in the
// filtered list that the item was opened from, else in the assignment.
import type { Item, State } from "./state";

export const OPEN = "o";
export const DEFERRED = "d";
export const JUDGED = "j";
/** Judged, and the answer is not known. */
export const UNKNOWN = "u";

/** Deferrals of judged places are remembered, as the server does: undone, they are deferred again. `absent`: places that
 * the server could not show. */
export interface Places {
  readonly states: string;
  readonly deferred: ReadonlySet<number>;
  readonly absent: ReadonlySet<number>;
}

const isOpenState = (state?: string): boolean => state === OPEN || state === DEFERRED;

export const judgedCount = ({ states }: Pick<Places, "states">): number => [...states].filter((state) => !isOpenState(state)).length;

export const hasOpen = ({ states }: Places, place: number): boolean => isOpenState(states[place - 1]);

/** `judged`: the state if nothing is left to judge. */
export function withState(places: Places, place: number, judged?: string): Places {
  const state = judged ?? (places.deferred.has(place) ? DEFERRED : OPEN);
  const { states } = places;
  return { ...places, states: states.slice(0, place - 1) + state + states.slice(place) };
}

export function withDeferral(places: Places, place: number, isDeferred: boolean): Places {
  const others = [...places.deferred].filter((other) => other !== place);
  const changed = { ...places, deferred: new Set(isDeferred ? [...others, place] : others) };
  return hasOpen(changed, place) ? withState(changed, place) : changed;
}

export const absentPlaces = ({ absent }: Places): number[] => [...absent].sort((place, other) => place - other);

/** The places with something left to judge: those after this one, then those before it. Deferred ones come later, those
 * that could not be shown last. */
export function openAfter(places: Places, after: number): number[] {
  const all = [...places.states].map((_, index) => index + 1);
  const turned = [...all.slice(after), ...all.slice(0, after)].filter((place) => place !== after);
  const open = [OPEN, DEFERRED].flatMap((state) => turned.filter((place) => places.states[place - 1] === state));
  const isAbsent = (place: number): boolean => places.absent.has(place);
  return [...open.filter((place) => !isAbsent(place)), ...open.filter(isAbsent)];
}

/** So many items are fetched at once. */
const BATCH = 12;
/** So many of the last decisions can be undone without the server. */
const UNDOABLE = 10;

export function neighbour({ page: { list }, places }: State, place: number, by: 1 | -1): number | undefined {
  const all = list ?? [place + by].filter((next) => next >= 1 && next <= places.states.length);
  return by > 0 ? all.find((next) => next > place) : all.filter((next) => next < place).at(-1);
}

/** The next places if the assessor goes through them in order, judged or not, as in a filtered list from its start. */
function browsed(state: State, count: number): number[] {
  const by = state.heading ?? (state.page.list ? 1 : undefined);
  const places: number[] = [];
  let next = by && neighbour(state, state.place, by);
  for (; next && places.length < count; next = neighbour(state, next, by!)) places.push(next);
  return places;
}

/** The places with something left to judge: those that follow in the list, then all. */
export function openPlaces({ page: { list = [] }, places, place }: State): number[] {
  const isNext = (next: number): boolean => next > place && hasOpen(places, next) && !places.absent.has(next);
  return [...list.filter(isNext), ...openAfter(places, place)];
}

/** The place that is probably wanted next. */
export const upcoming = (state: State): number | undefined => browsed(state, 1)[0] ?? openPlaces(state)[0];

/** The next places, so many. */
const following = (state: State, count: number): number[] => [
  ...new Set([...browsed(state, count), ...openAfter(state.places, state.place).slice(0, count)]),
];

/** Places whose items are in stock and should be ready. */
export const mountable = (state: State): number[] =>
  following(state, state.page.ahead).filter((place) => state.stock.has(place) && !state.items.has(place));

/** The places that are wanted soon, and are neither here nor requested: those to get ready first. */
export function missing(state: State): number[] {
  const { items, stock, requested, places, page } = state;
  const soon = new Set([page.ahead, page.ahead + page.stored].flatMap((count) => following(state, count)));
  return [...soon].filter((place) => ![items, stock, requested, places.absent].some((here) => here.has(place)));
}

/** Those of the missing places that are requested together. */
export const batch = (state: State): number[] => missing(state).slice(0, BATCH);

/** Those of the missing places that should be ready. */
export function missingSoon(state: State): number[] {
  const places = following(state, state.page.ahead);
  return missing(state).filter((place) => places.includes(place));
}

const undoable = ({ history }: State): number[] => history.slice(-UNDOABLE).map((entry) => entry.place);

/** The items without those that are not wanted soon, or only if something is undone and they are in stock. */
export function withoutSpare(state: State): ReadonlyMap<number, Item> {
  const { place, page, stock, items } = state;
  const unstocked = undoable(state).filter((earlier) => !stock.has(earlier));
  const needed = new Set([place, place - 1, place + 1, ...following(state, page.ahead + 2), ...unstocked]);
  return new Map([...items].filter(([ready]) => needed.has(ready)));
}

/** The stock without what is not wanted soon. */
export function withoutOld(state: State): ReadonlySet<number> {
  const { place, page, items, stock } = state;
  const further = following(state, page.ahead + page.stored + 2);
  const needed = new Set([place, ...items.keys(), ...further, ...undoable(state)]);
  return new Set([...stock].filter((stocked) => needed.has(stocked)));
}

export const positionInList = ({ page, place }: State): number => page.list!.filter((listed) => listed <= place).length;
