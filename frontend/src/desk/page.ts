// What the page of the desk gives its script: elements, words, addresses; and its line about what is saved.

import { find } from "../find";

export { isBeingRead, offer, say } from "./status";

export const desk = find("#desk");
export const user = document.documentElement.dataset.user!;
export const name = desk.dataset.name!;
/** How many rulings of the topic the page shows now; empty where the server does not say. */
export const rulings = (): string => find("#beside").dataset.rulings ?? "";
export const assignment = desk.dataset.assignment!;
export const login = desk.dataset.login!;
export const words = find("#words").dataset as Record<string, string>;
export const listAddress = find<HTMLAnchorElement>("#list").href;

/** The places that the page names, with commas between them. */
export const placesIn = (text: string): number[] => text.split(",").filter(Boolean).map(Number);
