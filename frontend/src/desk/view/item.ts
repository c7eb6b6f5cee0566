// An item on the page: the forms of its documents, read once and then shown from the state.
import { elementOf } from "../../find";
import { isDecision, type Judgment, type Message } from "../model/messages";
import type { Card, Item, State } from "../model/state";
import { loadDraft } from "../sync/local_data";
import type { ItemHtml } from "../sync/server";
import { assignment, scale, words } from "./page";
import { since } from "./since";
import { badgeOf } from "./status";

const FORMULA = ".math-container[data-tex]";
/** Of a passage, in characters. */
const LONGEST = 1000;

export class CardElement {
  readonly form: HTMLFormElement;
  readonly comment: HTMLTextAreaElement;
  readonly instance: string;
  /** What holds its post: the card itself, unless several formulas of the post are to judge. */
  readonly post: HTMLElement;
  /** The formula that is judged; none if it is an answer, or its post lacks it. */
  readonly formula: HTMLElement | null;

  /** Says how it was judged, if its item has several documents. */
  private readonly state: HTMLElement | undefined;

  constructor(
    readonly element: HTMLElement,
    isOneOfSeveral: boolean,
  ) {
    this.form = element.querySelector("form")!;
    const more = this.form.querySelector<HTMLButtonElement>(".more")!;
    more.hidden = false;
    more.addEventListener("click", () => more.setAttribute("aria-expanded", String(more.ariaExpanded !== "true")));
    this.comment = element.querySelector("textarea")!;
    this.instance = this.field("instance");
    this.post = element.closest<HTMLElement>(".shown-post")!;
    const { number } = element.dataset;
    this.formula = this.post.querySelector(number ? `.highlight[data-number="${number}"]` : ".highlight");
    if (!isOneOfSeveral) return;
    this.form.setAttribute("aria-label", this.name);
    const row = this.form.querySelector<HTMLElement>(".row")!;
    row.prepend(elementOf("span", "belongs", this.name));
    row.hidden = false;
    this.state = elementOf("span", "state small quiet");
    this.head.after(this.state);
  }

  /** Its own heading, which is a button that turns to it. */
  private get head(): HTMLElement {
    return this.element.querySelector<HTMLElement>("h2, h3")!;
  }

  /** Calls back when it is turned to by a click, or by its heading. */
  whenTurnedTo(turn: () => void): void {
    if (!this.state) return;
    const button = elementOf("button", "turn");
    button.type = "button";
    button.append(...this.head.childNodes);
    this.head.append(button);
    button.closest("header")!.classList.add("turns");
    this.element.addEventListener("click", (event) => {
      if (!(event.target as Element).closest("a")) turn(); // nothing happens if it is the current one
    });
  }

  /** Whether other formulas of its post are to judge, too. */
  get isShared(): boolean {
    return this.post !== this.element;
  }

  private field(name: string): string {
    return this.form.querySelector<HTMLInputElement>(`input[name=${name}]`)!.value;
  }

  get buttons(): HTMLButtonElement[] {
    return [...this.form.querySelectorAll<HTMLButtonElement>("button.choice")];
  }

  /** As the server sent it, with a draft, unless something was typed before this script was here. */
  read(): Card {
    const draft = loadDraft("draft", assignment, this.instance);
    const { value, defaultValue: initial, dataset } = this.comment;
    const chosen = this.buttons.find((button) => button.getAttribute("aria-pressed") === "true");
    const at = this.form.dataset.at ? Date.parse(this.form.dataset.at) - performance.timeOrigin : undefined;
    const judgment = { word: chosen?.value ?? "", comment: initial, passage: this.field("passage"), key: this.field("after"), at };
    const isDraftShown = draft !== undefined && !judgment.word && value === initial;
    return {
      instance: this.instance,
      post: this.post.dataset.post ?? "",
      contentHash: this.field("content_hash"),
      words: this.buttons.map((button) => button.value),
      judgment,
      text: isDraftShown ? draft : value,
      passage: (judgment.word ? undefined : loadDraft("passage", assignment, this.instance)) ?? judgment.passage,
      draft,
      filledIn: "filledIn" in dataset ? initial : "",
    };
  }

  show(card: Card, isClosed: boolean): void {
    const { word } = card.judgment;
    this.tellStanding(card.judgment);
    const [name, style] = scale.names[word] ?? [];
    this.state?.replaceChildren(name === undefined ? words.not_judged! : badgeOf(name, style!));
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.value === word));
    this.form.querySelector<HTMLElement>(".take-back")!.hidden = word === "";
    this.tellPassage(card.passage);
    const isWriting = document.activeElement === this.comment;
    if (!isWriting && this.comment.value !== card.text) this.comment.value = card.text;
    if (!isClosed) return;
    for (const control of this.form.querySelectorAll<HTMLButtonElement | HTMLTextAreaElement>("button, textarea")) {
      control.disabled = true;
    }
  }

  /** "You judged this Low, 5 minutes ago". */
  private tellStanding({ word, at }: Judgment): void {
    const line = this.form.querySelector<HTMLElement>(".stands")!;
    line.hidden = word === "";
    line.parentElement!.hidden = line.hidden && !this.state;
    this.element.ariaDescription = null;
    if (line.hidden) return;
    const [name, style] = scale.names[word] ?? [word, ""];
    const text = at === undefined ? words.stands! : words.stands_since!.replace("{since}", since(at));
    const [before, after] = text.split("{}");
    line.replaceChildren(before!, badgeOf(name, style), after!);
    this.element.ariaDescription = line.textContent; // heard with its name, when it gets the focus
  }

  private tellPassage(passage: string): void {
    const line = this.form.querySelector<HTMLInputElement>(".passage")!;
    if (line.value === passage) return;
    line.value = passage;
    line.hidden = passage === "";
  }

  /** What is selected in it, as it is kept: on one line, each formula as its LaTeX between dollar signs. */
  get selected(): string {
    const selection = getSelection()!;
    if (selection.isCollapsed || !selection.rangeCount) return "";
    const range = selection.getRangeAt(0).cloneRange();
    const container = range.commonAncestorContainer;
    const post = (container instanceof Element ? container : container.parentElement)?.closest(".post");
    if (!post || !this.post.contains(post)) return "";
    const [first, last] = [range.startContainer, range.endContainer].map((end) => end.parentElement!.closest(FORMULA));
    if (first) range.setStartBefore(first); // a formula is marked as a whole
    if (last) range.setEndAfter(last);
    const copy = range.cloneContents();
    for (const fold of copy.querySelectorAll("summary")) fold.remove();
    for (const formula of copy.querySelectorAll<HTMLElement>(FORMULA)) formula.replaceWith(`$${formula.dataset.tex}$`);
    for (const block of copy.querySelectorAll("p, li, br, pre, blockquote, tr, dd, dt, h1, h2, h3")) block.before(" ");
    return [...copy.textContent!.replace(/\s+/g, " ").trim()].slice(0, LONGEST).join("");
  }

  get isJudged(): boolean {
    return this.buttons.some(({ ariaPressed }) => ariaPressed === "true");
  }

  readonly label = (word: string): string => {
    const button = this.buttons.find((other) => other.value === word);
    return button?.firstChild?.textContent?.trim() ?? word;
  };

  /** What it is called on the page. */
  get name(): string {
    const heads = [...new Set([this.post.querySelector("h2"), this.element.querySelector("h2, h3")])];
    return heads.map((head) => head!.textContent!.trim()).join(", ");
  }

  /** What an assessor recognizes it by, without links: its formula, or its text. */
  gist(): Node[] {
    const parts = this.formula ? [this.formula] : [...this.post.querySelectorAll(".post, .message")];
    return parts.map((part) => {
      const copy = part.cloneNode(true) as Element;
      for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
      return copy;
    });
  }

  /** The least that has to be in sight, from the top of the window: the formula that is judged, above the controls. */
  get revealed(): number {
    return this.formula ? this.formula.getBoundingClientRect().bottom + this.form.offsetHeight : 0;
  }

  /** Scrolls as far as it takes to see the formula that is judged: what it scrolls in knows what its controls cover. */
  reveal(): void {
    this.unfold();
    this.formula?.scrollIntoView({ block: "nearest" });
  }

  /** Scrolls to the formula that is judged; false if there is none. */
  turnToFormula(): boolean {
    this.unfold();
    this.formula?.scrollIntoView({ block: "center", inline: "nearest" });
    return this.formula !== null;
  }

  /** Opens what the formula is folded away in. */
  private unfold(): void {
    for (let part = this.formula?.closest("details"); part; part = part.parentElement?.closest("details")) part.open = true;
  }
}

export class ItemElement {
  readonly cards: CardElement[];
  /** The controls of its documents, those of the current one in sight. */
  readonly bar = elementOf("div", "grade-bar");
  /** All that can be set is set. */
  isSet = false;

  constructor(
    readonly place: number,
    readonly element: HTMLElement,
  ) {
    const documents = [...element.querySelectorAll<HTMLElement>("[data-document]")];
    this.cards = documents.map((card) => new CardElement(card, documents.length > 1));
    this.bar.append(...this.cards.map(({ form }) => form));
    element.append(this.bar);
    for (const box of element.querySelectorAll<HTMLElement>(".post :is(pre, table)")) box.tabIndex = 0; // it may be wide
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

  /** Its formulas in sight if it is shown, else those that will be when it is: down to the first formula to judge. */
  inSight(formulas: HTMLElement[], isShown: boolean): HTMLElement[] {
    const [top, bottom] = isShown ? this.sight() : this.firstSight();
    return formulas.filter((formula) => {
      const box = formula.getBoundingClientRect();
      return box.bottom > top && box.top < bottom;
    });
  }

  get firstOpen(): CardElement {
    return this.cards.find(({ isJudged }) => !isJudged) ?? this.cards[0]!;
  }

  private sight(): [number, number] {
    const { top, bottom } = this.element.getBoundingClientRect();
    return [Math.max(top, 0), Math.min(bottom, innerHeight)];
  }

  /** On a narrow page it has no height yet. */
  private firstSight(): [number, number] {
    const { top, height } = this.element.getBoundingClientRect();
    const bottom = Math.max(top + (height || innerHeight), this.firstOpen.revealed);
    return [bottom - (height || innerHeight), bottom];
  }

  show({ cards }: Item, isClosed: boolean): void {
    for (const [index, card] of cards.entries()) this.cards[index]!.show(card, isClosed);
  }

  /** How another formula of a post was judged here meanwhile, as it is called; empty if that was taken back. */
  tellJudged(judged: State["inPosts"]): void {
    for (const { post, label } of this.cards) {
      const last = judged.get(post.dataset.post ?? "");
      const note = post.querySelector<HTMLElement>(".judged-here");
      if (!note || !last || last.place === this.place) continue;
      note.hidden = last.word === "";
      note.querySelector("strong")!.textContent = label(last.word);
    }
  }

  /** Returns the post that was unfolded for it, if any. */
  select(instance: string): HTMLElement | undefined {
    if (this.cards.length === 1) return undefined;
    const { post } = this.find(instance)!;
    const isFolded = !post.classList.contains("current");
    for (const card of this.cards) {
      const isCurrent = card.instance === instance;
      card.post.classList.toggle("current", card.post === post);
      card.post.classList.toggle("folded", card.post !== post);
      for (const part of [card.form, card.formula, card.isShared && card.element]) {
        if (part) part.classList.toggle("current", isCurrent);
      }
    }
    return isFolded ? post : undefined;
  }
}
