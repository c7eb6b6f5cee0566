// Asks about a message that the server did not take.
import { typeset } from "../../math";
import { isDecision, type Message } from "../model/messages";
import type { Choice, Current } from "../sync/conflicts";
import type { Waiting } from "../sync/store";
import { answerOf, dialog } from "./dialogs";
import { ItemElement, type CardElement } from "./item";
import { states, words } from "./page";

/** The card that a message is about. */
function cardOf(message: Message, { item }: Current): CardElement | undefined {
  const cards = item ? ItemElement.from(item.place, item.html).cards : [];
  return isDecision(message) ? cards.find((card) => card.instance === message.instance) : cards[0];
}

/** What to call the card, and as much of it as is needed to recognize it. */
function showCard(box: HTMLDialogElement, card: CardElement | undefined): void {
  const [name, item] = [box.querySelector<HTMLElement>("[data-name]")!, box.querySelector<HTMLElement>("[data-item]")!];
  for (const part of [name, item, box.querySelector<HTMLElement>("[value=open]")!]) part.hidden = card === undefined;
  name.textContent = card?.name ?? "";
  item.replaceChildren(...(card?.gist() ?? []));
  void typeset(item);
}

/** `label`: the words on the button of a grade or an outcome. */
export function askAbout({ message, problem }: Waiting, current: Current, label: (word: string) => string): Promise<Choice> {
  const describe = (judgment?: { word: string; comment: string }): string => {
    const word = judgment?.word ? label(judgment.word) : judgment ? words.not_judged! : words.defer!;
    const comment = judgment?.comment ? `, “${judgment.comment}”` : "";
    return `${message.place} ${words.place} ${states.length}: ${word}${comment}`;
  };
  const isConflict = problem === "conflict" && isDecision(message);
  const box = dialog(isConflict ? "conflict" : "refused");
  const fill = (part: string, text: string): void => void (box.querySelector(`[data-${part}]`)!.textContent = text);
  showCard(box, cardOf(message, current));
  const ours = describe(isDecision(message) ? message : undefined);
  if (isConflict) {
    fill("theirs", describe(current.judgment));
    fill("ours", ours);
  } else {
    fill("decided", ours);
    fill("problem", words[`refused_${problem}`] ?? problem!);
  }
  return answerOf(box) as Promise<Choice>;
}
