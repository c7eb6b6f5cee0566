// The list that the item was opened from, where it is not the whole one: next and previous are those of the list.
import { placesIn } from "./page";
import { AHEAD } from "./queue";
import { at, queue } from "./state";

const link = document.querySelector<HTMLElement>("#walk");
const places = link ? placesIn(link.dataset.places!) : undefined;
const walked = document.querySelector("#walked");

export const isWalk = places !== undefined;
/** Of the list, for the addresses of its items. */
export const query = isWalk ? location.search : "";

/** The place before or after; undefined where there is none. */
export function neighbour(place: number, by: 1 | -1): number | undefined {
  const all = places ?? [place + by].filter((one) => one >= 1 && one <= queue.total);
  return by > 0 ? all.find((one) => one > place) : all.filter((one) => one < place).at(-1);
}

/** The places that come next where they are gone through in order, judged or not: a list that the item was opened from
 * is, from its start. */
export function coming(): number[] {
  const by = at.heading ?? (isWalk ? 1 : undefined);
  const found: number[] = [];
  for (let next = by && neighbour(at.view.place, by); next && found.length < AHEAD; next = neighbour(next, by!)) {
    found.push(next);
  }
  return found;
}

/** The places with something left to judge: those of the list that come next, then all. */
export function following(place: number): number[] {
  const isOpen = (one: number): boolean => queue.isLeft(one) && !queue.absent.includes(one);
  return [...(places ?? []).filter((one) => one > place && isOpen(one)), ...queue.following(place)];
}

/** Tells how far the list is. */
export function tellWalk(place: number): void {
  if (walked) walked.textContent = String(places!.filter((one) => one <= place).length);
}
