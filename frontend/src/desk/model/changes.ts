// Small questions to the state, and small changes of it.
import type { Judgment } from "./messages";
import { JUDGED, UNKNOWN, withState } from "./places";
import type { Card, Draft, Item, Said, State } from "./state";

export const isJudged = (card: Card): boolean => card.judgment.word !== "";
export const openCard = (item: Item): Card | undefined => item.cards.find((card) => !isJudged(card));
export const currentItem = (state: State): Item => state.items.get(state.place)!;

export const cardIn = ({ cards }: Item, instance: string): Card => cards.find((card) => card.instance === instance)!;
export const currentCard = (state: State): Card => cardIn(currentItem(state), state.current);

/** The state of the place, if nothing is left to judge there. */
export function judgedState(item: Item): string | undefined {
  if (openCard(item)) return undefined;
  return item.cards.some((card) => card.judgment.word === "do_not_know") ? UNKNOWN : JUDGED;
}

/** A card with a judgment. An open one keeps what is written there. */
function withJudgment(card: Card, judgment: Judgment): Card {
  if (judgment.word) return { ...card, judgment, text: judgment.comment, passage: judgment.passage ?? "", draft: undefined };
  return { ...card, judgment, text: isJudged(card) ? (card.draft ?? "") : card.text };
}

/** What is marked in a document that is not judged. */
export const unsavedPassage = (card: Card): string | undefined => (isJudged(card) ? undefined : card.passage || undefined);

/** A card with a text that is not saved. */
export function withText(card: Card, text: string): Card {
  return { ...card, text, draft: text || card.filledIn ? text : undefined };
}

export function putItem(desk: Draft, item: Item): void {
  desk.items = new Map(desk.items).set(item.place, item);
}

export function changeCard(desk: Draft, place: number, instance: string, change: (card: Card) => Card): void {
  const item = desk.items.get(place);
  if (!item) return;
  putItem(desk, { ...item, cards: item.cards.map((card) => (card.instance === instance ? change(card) : card)) });
}

/** What holds of a document from now on. */
export function setJudgment(desk: Draft, place: number, instance: string, judgment: Judgment): void {
  desk.known = new Map(desk.known).set(instance, judgment);
  changeCard(desk, place, instance, (card) => withJudgment(card, judgment));
  const item = desk.items.get(place);
  if (!item) return;
  desk.places = withState(desk.places, place, judgedState(item));
  desk.inPosts = new Map(desk.inPosts).set(cardIn(item, instance).post, { place, word: judgment.word });
}

/** An item that has come, with what this window knows better. */
export function receive(desk: Draft, item: Item): void {
  const cards = item.cards.map((card) => {
    const judgment = desk.known.get(card.instance);
    return judgment ? withJudgment(card, judgment) : card;
  });
  putItem(desk, { ...item, cards });
  desk.places = withState(desk.places, item.place, judgedState({ ...item, cards }));
}

export function say(desk: Draft, word: string, manner: Said["manner"] = "", more: Partial<Said> = {}): void {
  desk.said = { word, manner, ...more };
}

/** The work is done when this is painted. */
export function requestPaint(desk: Draft): void {
  desk.paints++;
  desk.effects.push({ kind: "paint" });
}
