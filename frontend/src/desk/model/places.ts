// The places of an assignment, counted from 1, each with a state of one letter.

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

export const judgedCount = ({ states }: Places): number => [...states].filter((state) => !isOpenState(state)).length;

export const hasOpen = ({ states }: Places, place: number): boolean => isOpenState(states[place - 1]);

/** `judged`: the state if nothing is left to judge. */
export function withState(places: Places, place: number, judged?: string): Places {
  const state = judged ?? (places.deferred.has(place) ? DEFERRED : OPEN);
  const { states } = places;
  return { ...places, states: states.slice(0, place - 1) + state + states.slice(place) };
}

export function withDeferral(places: Places, place: number, isDeferred: boolean): Places {
  const deferred = new Set(places.deferred);
  if (isDeferred) deferred.add(place);
  else deferred.delete(place);
  const changed = { ...places, deferred };
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
