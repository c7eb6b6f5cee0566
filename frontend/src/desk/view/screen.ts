// The items on the page: the one on the screen, and those that are ready.
import { find } from "../../find";
import { painted } from "../../frame";
import { typeset } from "../../math";
import { upcoming } from "../model/order";
import type { Action } from "../model/reducer";
import type { Item, State } from "../model/state";
import { ItemElement, type CardElement } from "./item";
import { isTyping } from "./keys";

const isBeside = matchMedia("(min-width: 50rem)");

export class Screen {
  private readonly elements = new Map<number, ItemElement>();
  /** Items that were on the screen since it last came to rest. */
  private readonly leaving = new Set<ItemElement>();
  private readonly items = find("#items");

  constructor(
    readonly first: ItemElement,
    private state: State,
    private readonly dispatch: (action: Action) => void,
    private readonly keyFor: (word: string) => string,
  ) {
    first.typeset = typeset(first.element);
    this.adopt(first);
    if (isBeside.matches) dispatch({ type: "seen" });
    else this.watchFirst(first.cards[0]!);
  }

  get item(): ItemElement {
    return this.elements.get(this.state.place)!;
  }

  get card(): CardElement {
    return this.item.find(this.state.current)!;
  }

  /** Whether the assessor is writing a comment. */
  get isWriting(): boolean {
    return isTyping(document.activeElement) && this.item.element.contains(document.activeElement);
  }

  has(place: number): boolean {
    return this.elements.has(place);
  }

  /** The first item opens at its question. Below that, nobody has seen it until it is in sight. */
  private watchFirst({ element, form }: CardElement): void {
    const aboveControls = { rootMargin: `0px 0px -${form.offsetHeight}px` };
    const sight = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      sight.disconnect();
      this.dispatch({ type: "seen" });
    }, aboveControls);
    sight.observe(element);
  }

  /** Gets an item ready, unseen and out of reach, in the place of an earlier copy. */
  mount(item: ItemElement): void {
    this.elements.get(item.place)?.element.remove();
    item.element.inert = true;
    this.items.append(item.element);
    item.typeset = typeset(item.element);
    void item.typeset.then(painted).then(() => {
      item.makeReady(); // bringing it on the screen now costs next to nothing
      this.drawNext();
    });
    this.adopt(item);
  }

  private adopt(item: ItemElement): void {
    const { place } = item;
    this.elements.set(place, item);
    for (const card of item.cards) {
      this.listen(place, card);
      card.labelKeys(this.keyFor);
    }
    document.dispatchEvent(new CustomEvent("assess:mounted", { detail: item.element }));
  }

  private listen(place: number, card: CardElement): void {
    const { instance, form, comment, element } = card;
    const typed = (): void => this.dispatch({ type: "typed", place, instance, text: comment.value });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.dispatch({ type: "click", place, instance, word: (event.submitter as HTMLButtonElement).value });
    });
    for (const kind of ["focusin", "pointerdown"]) {
      element.addEventListener(kind, () => this.dispatch({ type: "select", place, instance }));
    }
    comment.addEventListener("keydown", (event) => leaveComment(card, event));
    comment.addEventListener("input", typed);
    comment.addEventListener("change", () => {
      typed();
      this.dispatch({ type: "commented", place, instance });
    });
  }

  labelKeys(): void {
    for (const { cards } of this.elements.values()) for (const card of cards) card.labelKeys(this.keyFor);
  }

  show(state: State, before: State): void {
    this.state = state;
    for (const [place, item] of state.items) this.showItem(item, before.items.get(place));
    for (const place of before.items.keys()) if (!state.items.has(place)) this.drop(place);
    if (state.place !== before.place) this.exchange(this.elements.get(before.place));
    if (state.place !== before.place || state.current !== before.current) this.item.select(state.current);
  }

  private drop(place: number): void {
    this.elements.get(place)?.element.remove();
    this.elements.delete(place);
  }

  private showItem(item: Item, before?: Item): void {
    const { isClosed } = this.state;
    if (item !== before || isClosed) this.elements.get(item.place)?.show(item, isClosed, before);
  }

  private exchange(left?: ItemElement): void {
    left?.element.classList.remove("current");
    this.item.element.classList.add("current");
    if (left) this.leaving.add(left);
  }

  /** Where the item stands below the question, that is read first, once. */
  arrive(isNew: boolean): void {
    const { element, isReady } = this.item;
    element.classList.add("current");
    if (!isReady) element.inert = false; // nothing is gained by doing it later
    this.item.select(this.state.current);
    if (isNew && !isBeside.matches) element.scrollIntoView();
    if (isNew || isBeside.matches) this.card.reveal();
  }

  focus(): void {
    this.card.element.focus({ preventScroll: true });
  }

  reveal(): void {
    this.card.reveal();
  }

  bring(): void {
    this.focus();
    this.card.element.scrollIntoView({ block: "start" });
    this.reveal();
  }

  writeComment(): void {
    this.item.element.inert = false; // it may have come a moment ago
    this.card.comment.focus();
  }

  /** False if there is no thread. */
  openThread(): boolean {
    const link = this.card.element.querySelector<HTMLAnchorElement>("a.thread");
    link?.click();
    return link !== null;
  }

  /** After the paint: whatever makes the browser lay the page out again. */
  cleanUp(): void {
    this.leaving.delete(this.item);
    for (const item of this.leaving) {
      item.element.scrollTop = 0;
      item.element.inert = true;
      item.makeReady();
    }
    this.leaving.clear();
    this.item.element.inert = false;
    const isTaken = isTyping(document.activeElement) || document.querySelector("dialog[open], :popover-open") !== null;
    if (!isTaken) this.focus();
  }

  /** The item that is probably wanted next is drawn too, all but transparent: a key only makes it visible. */
  drawNext(): void {
    const next = upcoming(this.state);
    for (const [place, { element }] of this.elements) element.classList.toggle("next", place === next);
  }
}

function leaveComment(card: CardElement, event: KeyboardEvent): void {
  const isDone = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
  if (!isDone || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  card.comment.blur();
  card.element.focus({ preventScroll: true });
}
