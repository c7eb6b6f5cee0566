// An item on the page: the forms of its candidates, read once and then shown from the state.
import { isDecision, type Message } from "../model/messages";
import type { Card, Item } from "../model/state";
import { loadDraft } from "../sync/local_data";
import type { ItemHtml } from "../sync/server";
import { assignment } from "./page";

export class CardElement {
  readonly form: HTMLFormElement;
  readonly comment: HTMLTextAreaElement;
  readonly instance: string;

  constructor(readonly element: HTMLElement) {
    this.form = element.querySelector("form")!;
    this.comment = element.querySelector("textarea")!;
    this.instance = this.field("instance");
  }

  private field(name: string): string {
    return this.form.querySelector<HTMLInputElement>(`input[name=${name}]`)!.value;
  }

  get buttons(): HTMLButtonElement[] {
    return [...this.form.querySelectorAll<HTMLButtonElement>("button.choice")];
  }

  /** As the server sent it, with a draft, unless something was typed before this script was here. */
  read(): Card {
    const draft = loadDraft(assignment, this.instance);
    const { value, defaultValue: initial, dataset } = this.comment;
    const chosen = this.buttons.find((button) => button.getAttribute("aria-pressed") === "true");
    const judgment = { word: chosen?.value ?? "", comment: initial, key: this.field("after") };
    const isDraftShown = draft !== undefined && !judgment.word && value === initial;
    return {
      instance: this.instance,
      contentHash: this.field("content_hash"),
      words: this.buttons.map((button) => button.value),
      judgment,
      text: isDraftShown ? draft : value,
      draft,
      filledIn: "filledIn" in dataset ? initial : "",
    };
  }

  show(card: Card, isClosed: boolean): void {
    const { word } = card.judgment;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.value === word));
    this.form.querySelector<HTMLElement>(".take-back")!.hidden = word === "";
    const isWriting = document.activeElement === this.comment;
    if (!isWriting && this.comment.value !== card.text) this.comment.value = card.text;
    if (!isClosed) return;
    for (const control of this.form.querySelectorAll<HTMLButtonElement | HTMLTextAreaElement>("button, textarea")) {
      control.disabled = true;
    }
  }

  label(word: string): string {
    const button = this.buttons.find((other) => other.value === word);
    return button?.firstChild?.textContent?.trim() ?? word;
  }

  /** What an assessor recognizes it by, without links: its formula, or its text. */
  gist(): Node[] {
    const formula = this.element.querySelector(".highlight");
    const parts = formula ? [formula] : [...this.element.querySelectorAll(".post, .message")];
    return parts.map((part) => {
      const copy = part.cloneNode(true) as Element;
      for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
      return copy;
    });
  }

  /** Scrolls as far as it takes to see the formula that is judged, above its controls. */
  reveal(): void {
    const formula = this.element.querySelector<HTMLElement>(".highlight");
    if (!formula) return;
    const below = Math.max(0, parseFloat(getComputedStyle(this.form).bottom) || 0); // negative into the padding of the pane
    formula.style.scrollMarginBottom = `calc(${this.form.offsetHeight + below}px + 1rem)`;
    formula.scrollIntoView({ block: "nearest" });
  }
}

export class ItemElement {
  readonly cards: CardElement[];
  /** Resolves when its formulas are set. */
  typeset: Promise<void> = Promise.resolve();

  constructor(
    readonly place: number,
    readonly element: HTMLElement,
  ) {
    this.cards = [...element.querySelectorAll<HTMLElement>("[data-candidate]")].map((card) => new CardElement(card));
  }

  static from({ place, html }: ItemHtml): ItemElement {
    const template = document.createElement("template");
    template.innerHTML = html;
    return new ItemElement(place, template.content.querySelector<HTMLElement>(".item")!);
  }

  read(): Item {
    return { place: this.place, shownAt: 0, cards: this.cards.map((card) => card.read()) };
  }

  find(instance: string): CardElement | undefined {
    return this.cards.find((card) => card.instance === instance);
  }

  /** The card that a message is about. */
  cardOf(message: Message): CardElement | undefined {
    return isDecision(message) ? this.find(message.instance) : this.cards[0];
  }

  show({ cards }: Item, isClosed: boolean): void {
    for (const [index, card] of cards.entries()) this.cards[index]!.show(card, isClosed);
  }

  select(instance: string): void {
    const isMarked = this.cards.length > 1;
    for (const card of this.cards) card.element.classList.toggle("current", isMarked && card.instance === instance);
  }
}
