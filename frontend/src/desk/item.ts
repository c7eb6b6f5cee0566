// The item on the page: an answer, or the instances of a formula, each with its controls.
import type { Standing } from "./decision";
import { assignment } from "./page";

const draftOf = (instance: string): string => `assess.draft.${assignment}.${instance}`;

/** The outcomes, all of which are asked about, and whether they are kept with a reason only. */
const WHY: Readonly<Record<string, boolean>> = { do_not_know: true, system_failure: true, not_matching: false };
export const needsComment = (word: string): boolean => WHY[word] === true;

/** One candidate. */
export class Card {
  readonly form: HTMLFormElement;
  readonly comment: HTMLTextAreaElement;
  readonly instance: string;
  readonly contentHash: string;
  standing: Standing;
  activeMs = 0;

  constructor(readonly element: HTMLElement) {
    this.form = element.querySelector("form")!;
    this.comment = element.querySelector("textarea")!;
    this.instance = this.field("instance");
    this.contentHash = this.field("content_hash");
    const chosen = this.buttons.find((button) => button.getAttribute("aria-pressed") === "true");
    this.standing = { word: chosen?.value ?? "", comment: this.comment.defaultValue, key: this.field("after") };
    const draft = localStorage.getItem(draftOf(this.instance));
    const isTouched = this.comment.value !== this.comment.defaultValue; // before this script was here
    if (draft !== null && !this.isDecided && !isTouched) this.comment.value = draft;
    this.comment.addEventListener("input", () => this.keepDraft());
  }

  private field(name: string): string {
    return this.form.querySelector<HTMLInputElement>(`input[name=${name}]`)!.value;
  }

  get buttons(): HTMLButtonElement[] {
    return [...this.form.querySelectorAll<HTMLButtonElement>("button.choice")];
  }

  get isDecided(): boolean {
    return this.standing.word !== "";
  }

  get isCommentChanged(): boolean {
    return this.isDecided && this.comment.value.trim() !== this.standing.comment;
  }

  has(word: string): boolean {
    return this.buttons.some((button) => button.value === word);
  }

  label(word: string): string {
    const button = this.buttons.find((one) => one.value === word);
    return button?.firstChild?.textContent?.trim() ?? word;
  }

  get name(): string {
    return this.element.querySelector("h2")!.textContent!;
  }

  /** By what an assessor knows it again, without links: its formula, or its text. */
  gist(): Node[] {
    const formula = this.element.querySelector(".highlight");
    const parts = formula ? [formula] : [...this.element.querySelectorAll(".post, .message")];
    return parts.map((part) => {
      const copy = part.cloneNode(true) as Element;
      for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
      return copy;
    });
  }

  private get isFilledIn(): boolean {
    const isAsItCame = !this.isDecided && this.comment.value === this.comment.defaultValue;
    return "filledIn" in this.comment.dataset && isAsItCame;
  }

  /** What the assessor wrote where nothing is decided. */
  get written(): string {
    return this.isDecided || this.isFilledIn ? "" : this.comment.value.trim();
  }

  /** Whether a reason has to be asked for; one that the server filled in will do. */
  asksWhy(word: string): boolean {
    return word in WHY && !(needsComment(word) && this.isFilledIn);
  }

  /** A text that is not kept yet: it is there again when the candidate is. */
  draft(text: string): void {
    this.comment.value = text;
    this.keepDraft();
  }

  private keepDraft(): void {
    if (this.comment.value || this.comment.defaultValue) localStorage.setItem(draftOf(this.instance), this.comment.value);
    else localStorage.removeItem(draftOf(this.instance));
  }

  stand(standing: Standing): void {
    const isOpenStill = !this.isDecided && standing.word === "";
    this.standing = standing;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.value === standing.word));
    this.form.querySelector<HTMLElement>(".take-back")!.hidden = !this.isDecided;
    if (isOpenStill) return; // with what is written so far
    if (this.isDecided) localStorage.removeItem(draftOf(this.instance));
    if (document.activeElement === this.comment) return;
    this.comment.value = this.isDecided ? standing.comment : (localStorage.getItem(draftOf(this.instance)) ?? "");
  }
}

export class ItemView {
  readonly cards: Card[];
  current: Card;
  /** Since it came on screen, for the time by the clock. */
  shown = performance.now();
  typeset: Promise<void> = Promise.resolve();

  constructor(
    readonly place: number,
    readonly element: HTMLElement,
  ) {
    this.cards = [...element.querySelectorAll<HTMLElement>("[data-candidate]")].map((one) => new Card(one));
    this.current = this.open ?? this.cards[0]!;
  }

  static from(place: number, html: string): ItemView {
    const template = document.createElement("template");
    template.innerHTML = html;
    return new ItemView(place, template.content.querySelector<HTMLElement>(".item")!);
  }

  get open(): Card | undefined {
    return this.cards.find((card) => !card.isDecided);
  }

  /** The state of the place, by which the queue goes. */
  get state(): string | undefined {
    if (this.open) return undefined;
    return this.cards.some((card) => card.standing.word === "do_not_know") ? "u" : "j";
  }

  /** Nothing is decided here any longer. */
  disable(): void {
    for (const { form } of this.cards) {
      for (const control of form.querySelectorAll<HTMLButtonElement | HTMLTextAreaElement>("button, textarea")) {
        control.disabled = true;
      }
    }
  }

  find(instance: string): Card | undefined {
    return this.cards.find((card) => card.instance === instance);
  }

  select(card: Card): void {
    this.current = card;
    for (const one of this.cards) one.element.classList.toggle("current", one === card && this.cards.length > 1);
  }

  /** Scrolls as far as it takes to see the formula that is judged, above its controls. */
  reveal(): void {
    const { element, form } = this.current;
    const formula = element.querySelector<HTMLElement>(".highlight");
    if (!formula) return;
    const below = Math.max(0, parseFloat(getComputedStyle(form).bottom) || 0); // into the padding of the pane it is less
    formula.style.scrollMarginBottom = `calc(${form.offsetHeight + below}px + 1rem)`;
    formula.scrollIntoView({ block: "nearest" });
  }
}
