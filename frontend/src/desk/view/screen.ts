// The items on the page: the one on the screen, and those that are ready.
import { find } from "../../find";
import { refit } from "../../fitting";
import { painted } from "../../frame";
import { IDLE, NEVER, SOON, typeset } from "../../math";
import { hasOpen, upcoming } from "../model/places";
import type { Action } from "../model/reducer";
import type { State } from "../model/state";
import { ItemElement, type CardElement } from "./item";
import { isTyping } from "./keys";

const isBeside = matchMedia("(min-width: 50rem)");

export class Screen {
  private readonly elements = new Map<number, ItemElement>();
  /** Items that were on the screen since it last came to rest. */
  private readonly leaving = new Set<ItemElement>();
  private readonly items = find("#items");
  private readonly foot = find(".desk-foot");
  private readonly covered = [find(".documents"), find("#reason"), this.foot];
  private readonly size = new ResizeObserver(() => this.cover());
  private measured: ItemElement | undefined;
  /** The post that was scrolled to last. */
  private brought: HTMLElement | undefined;

  constructor(
    readonly first: ItemElement,
    private state: State,
    private readonly dispatch: (action: Action) => void,
  ) {
    this.adopt(first);
    document.documentElement.classList.add("pinned");
    this.cover();
    document.addEventListener("scroll", () => void this.setInSight(), { capture: true, passive: true });
    isBeside.addEventListener("change", () => this.cover());
    if (isBeside.matches) dispatch({ type: "seen" });
    else this.watchFirst(first.cards[0]!);
  }

  /** These properties are not inherited, so that each element that needs them has its own: inherited ones would restyle
   * all formulas of all items. So does any change of the root's style, which only narrow pages need: they scroll as a whole. */
  private cover(): void {
    const heights = [["--bar", this.item.bar.offsetHeight], ["--foot", this.foot.offsetHeight]] as const;
    const scrolled = isBeside.matches ? [] : [document.documentElement];
    for (const { style } of [...this.covered, this.item.element, ...scrolled]) {
      for (const [name, pixels] of heights) {
        if (style.getPropertyValue(name) !== `${pixels}px`) style.setProperty(name, `${pixels}px`);
      }
    }
  }

  get item(): ItemElement {
    return this.elements.get(this.state.place)!;
  }

  get card(): CardElement {
    return this.item.find(this.state.current)!;
  }

  get isWriting(): boolean {
    return isTyping(document.activeElement) && this.item.element.contains(document.activeElement);
  }

  has(place: number): boolean {
    return this.elements.has(place);
  }

  /** The first item opens at its question. Below that, nobody has seen it until half of it is in sight, or it
   * fills half of the window. */
  private watchFirst({ post }: CardElement): void {
    const threshold = Array.from({ length: 101 }, (_, percent) => percent / 100);
    const { bar } = this.item;
    const covered = getComputedStyle(bar).position === "static" ? 0 : bar.offsetHeight; // low windows pin nothing
    const aboveControls = { rootMargin: `0px 0px -${covered}px`, threshold };
    const isSeen = ({ intersectionRatio, intersectionRect, rootBounds }: IntersectionObserverEntry): boolean =>
      intersectionRatio >= 0.5 || intersectionRect.height >= Math.max(rootBounds!.height / 2, 1);
    const sight = new IntersectionObserver((entries) => {
      if (!entries.some(isSeen)) return;
      sight.disconnect();
      this.dispatch({ type: "seen" });
    }, aboveControls);
    sight.observe(post);
  }

  /** Gets an item ready, unseen and out of reach, in the place of an earlier copy. */
  mount(item: ItemElement): void {
    this.elements.get(item.place)?.element.remove();
    item.element.inert = true;
    this.items.append(item.element);
    item.tellJudged(this.state.inPosts);
    this.adopt(item);
  }

  private adopt(item: ItemElement): void {
    const { place } = item;
    this.elements.set(place, item);
    item.select(item.firstOpen.instance);
    void this.set(item);
    for (const card of item.cards) this.listen(place, card);
    document.dispatchEvent(new CustomEvent("assess:mounted", { detail: item.element }));
  }

  private listen(place: number, card: CardElement): void {
    const { instance, form, comment, element, formula, isShared } = card;
    const select = (): void => this.dispatch({ type: "select", place, instance });
    const typed = (): void => this.dispatch({ type: "typed", place, instance, text: comment.value });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.dispatch({ type: "click", place, instance, word: (event.submitter as HTMLButtonElement).value, since: event.timeStamp });
    });
    for (const kind of ["focusin", "pointerdown"]) {
      for (const part of isShared ? [element, formula] : []) part?.addEventListener(kind, select);
    }
    card.whenTurnedTo(() => this.dispatch({ type: "turn", place, instance }));
    comment.addEventListener("keydown", (event) => {
      const isDone = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
      if (!isDone || event.isComposing) return;
      event.preventDefault();
      event.stopPropagation();
      comment.blur();
      element.focus({ preventScroll: true });
    });
    comment.addEventListener("input", typed);
    comment.addEventListener("change", () => {
      typed();
      this.dispatch({ type: "commented", place, instance });
    });
  }

  /** Sets its formulas: first those that will be in sight, then document by document. */
  private async set(item: ItemElement): Promise<void> {
    await this.setInSight(item);
    item.element.classList.add("drawable"); // bringing it on the screen now costs next to nothing
    this.drawNext();
    await Promise.all(item.cards.map((card) => typeset(card.post, () => this.urgency(item, card))));
    item.isSet = true;
    await painted();
    item.element.classList.add("ready");
  }

  async setInSight(item = this.item): Promise<void> {
    const inSight = (formulas: HTMLElement[]): HTMLElement[] => item.inSight(formulas, item === this.item);
    if (!item.isSet) await typeset(item.element, () => this.urgency(item), inSight);
  }

  /** Of what is in sight in an item, or of a document: first what is in sight, then what will be after the next keys, then
   * the rest, which may have hundreds of formulas. Nobody needs what is judged. */
  private urgency(item: ItemElement, card?: CardElement): number {
    if (item === this.item && !card) return SOON - 1; // before all else on the page
    if (this.state.arrivingSince !== undefined) return NEVER; // a key waits for its paint
    if (item === this.item) return IDLE + (card === this.card ? 2 : 3);
    if (item.place === upcoming(this.state)) return IDLE + (card ? 4 : 0);
    return hasOpen(this.state.places, item.place) ? IDLE + (card ? 5 : 1) : NEVER;
  }

  show(state: State, before: State): void {
    this.state = state;
    for (const [place, item] of state.items) {
      const isChanged = item !== before.items.get(place) || state.isClosed !== before.isClosed;
      if (isChanged) this.elements.get(place)?.show(item, state.isClosed);
    }
    for (const place of before.items.keys()) {
      if (state.items.has(place)) continue;
      this.elements.get(place)?.element.remove();
      this.elements.delete(place);
    }
    for (const item of this.elements.values()) if (state.inPosts !== before.inPosts) item.tellJudged(state.inPosts);
    const left = this.elements.get(before.place);
    if (left && state.place !== before.place) {
      left.element.classList.remove("current");
      this.leaving.add(left);
    }
    this.item.element.classList.add("current");
    if (state.place !== before.place) this.item.show(state.items.get(state.place)!, state.isClosed); // how long ago it was
    const unfolded = this.item.select(state.current);
    if (unfolded) refit(unfolded); // what is folded has no width
    if (this.item !== this.measured) this.measure();
  }

  /** What the bar covers, for all that scrolls something into sight. */
  private measure(): void {
    this.measured = this.item;
    const { style } = this.item.element;
    for (const name of ["--bar", "--foot"]) style.setProperty(name, this.foot.style.getPropertyValue(name));
    this.size.disconnect();
    for (const part of [this.item.bar, this.foot]) this.size.observe(part);
  }

  /** On a narrow page the question is above the items: it is read first, once. */
  arrive(isNew: boolean): void {
    const { element } = this.item;
    if (!element.classList.contains("drawable")) element.inert = false; // nothing is gained by doing it later
    if (isNew) document.documentElement.classList.add("begun");
    if (isNew && !isBeside.matches) element.scrollIntoView();
    this.brought = undefined;
    if (!isNew && !isBeside.matches) return;
    this.card.reveal();
    this.brought = this.card.post;
  }

  focus(): void {
    this.card.element.focus({ preventScroll: true });
  }

  /** In the post that is being read, only its formula. */
  bring(): void {
    const { post } = this.card;
    const isHere = post === this.brought;
    this.focus();
    if (!isHere) post.scrollIntoView({ block: "start" });
    this.card.reveal();
    this.brought = post;
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
      item.element.classList.add("ready");
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
