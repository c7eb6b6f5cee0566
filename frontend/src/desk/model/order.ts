// What comes next: in the filtered list that the item was opened from, else in the assignment.
import { hasOpen, openAfter } from "./places";
import type { Item, State } from "./state";

/** So many items are kept ready. */
const AHEAD = 6;
/** So many of the last decisions can be undone without the server. */
const UNDOABLE = 10;

/** The place before or after, if there is one. */
export function neighbour({ list, places }: State, place: number, by: 1 | -1): number | undefined {
  const all = list ?? [place + by].filter((next) => next >= 1 && next <= places.states.length);
  return by > 0 ? all.find((next) => next > place) : all.filter((next) => next < place).at(-1);
}

/** The next places if the assessor goes through them in order, judged or not, as in a filtered list from its start. */
function browsed(state: State): number[] {
  const by = state.heading ?? (state.list ? 1 : undefined);
  const places: number[] = [];
  for (let next = by && neighbour(state, state.place, by); next && places.length < AHEAD; next = neighbour(state, next, by!)) {
    places.push(next);
  }
  return places;
}

/** The places with something left to judge: those that follow in the list, then all. */
export function openPlaces({ list = [], places, place }: State): number[] {
  const isNext = (next: number): boolean => next > place && hasOpen(places, next) && !places.absent.has(next);
  return [...list.filter(isNext), ...openAfter(places, place)];
}

/** The place that is probably wanted next. */
export const upcoming = (state: State): number | undefined => browsed(state)[0] ?? openPlaces(state)[0];

/** The places that are wanted soon, and are neither ready nor requested. */
export function missing(state: State): number[] {
  const soon = new Set([...browsed(state), ...openAfter(state.places, state.place).slice(0, AHEAD)]);
  return [...soon].filter(
    (place) => !state.items.has(place) && !state.requested.has(place) && !state.places.absent.has(place),
  );
}

/** The items without those that are not wanted soon. */
export function withoutSpare(state: State): ReadonlyMap<number, Item> {
  const { place, places, history, items } = state;
  const ahead = [...browsed(state), ...openAfter(places, place).slice(0, AHEAD + 2)];
  const undoable = history.slice(-UNDOABLE).map((entry) => entry.place);
  const needed = new Set([place, place - 1, place + 1, ...ahead, ...undoable]);
  return new Map([...items].filter(([ready]) => needed.has(ready)));
}

/** The position of the item in the filtered list. */
export const positionInList = ({ list = [], place }: State): number => list.filter((listed) => listed <= place).length;
