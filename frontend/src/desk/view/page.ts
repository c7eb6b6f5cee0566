// What the page gives its script: elements, words, addresses.
import { find } from "../../find";
import type { Scale } from "../model/scale";

export const desk = find("#desk");
export const user = document.documentElement.dataset.user!;
/** How many rulings of the topic the page shows now; empty if the server does not say. */
export const shownRulings = (): string => find("#beside").dataset.rulings ?? "";
export const assignment = desk.dataset.assignment!;
export const words = find("#words").dataset as Record<string, string>;
export const listAddress = find<HTMLAnchorElement>("#list").href;

/** Places with commas between them. */
const placesIn = (text: string): number[] => text.split(",").filter(Boolean).map(Number);

const list = document.querySelector<HTMLElement>("#walk")?.dataset.places;
/** The places of the filtered list that the item was opened from. */
export const listPlaces = list === undefined ? undefined : placesIn(list);
export const scale: Scale = JSON.parse(desk.dataset.scale!);
export const states = desk.dataset.states!;
export const deferred = placesIn(desk.dataset.deferred!);
/** For so many milliseconds a key does not judge a new item. */
export const early = Number(desk.dataset.early);
/** So many of the next items are ready, and so many more stored. */
export const [ahead, stored] = [Number(desk.dataset.ahead), Number(desk.dataset.stored)];
export const isSettling = "settling" in desk.dataset;
export const firstPlace = Number(desk.dataset.place);
