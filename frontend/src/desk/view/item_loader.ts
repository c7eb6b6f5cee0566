// Gets items from the server onto the page.
import type { Machine } from "../model/machine";
import { isDecision, type Judgment, type Message } from "../model/messages";
import { missing } from "../model/places";
import { fetchItems, pauses, sleep, type ItemHtml, type Nothing, type SendResult } from "../sync/server";
import { idle } from "../../frame";
import { ItemElement } from "./item";
import { assignment } from "./page";
import type { Screen } from "./screen";
import { askToSignIn } from "./sign_in";

/** So long, in milliseconds, nothing can be decided while an item is on its way. */
const PATIENCE = 1000;

export class ItemLoader {
  /** Items as the server sent them. */
  private readonly stock = new Map<number, ItemHtml>();

  constructor(
    private readonly machine: Machine,
    private readonly screen: Screen,
  ) {}

  /** The item that is wanted now, unless something else is wanted before it comes. */
  async fetch(place: number, wish: number): Promise<void> {
    if (this.stock.has(place)) {
      this.mount([place]);
      return this.machine.dispatch({ type: "fetched", wish, result: "batch", isWriting: this.screen.isWriting });
    }
    for (const pause of pauses()) {
      const timer = setTimeout(() => this.machine.dispatch({ type: "slow", wish }), PATIENCE);
      const answer = await fetchItems(assignment, [place]);
      clearTimeout(timer);
      if (answer.kind === "batch") this.receive(answer.items, [place]);
      this.mount([place]);
      if (answer.kind === "session") this.machine.dispatch({ type: "otherPerson", name: answer.other });
      this.machine.dispatch({ type: "fetched", wish, result: answer.kind, isWriting: this.screen.isWriting });
      if (answer.kind === "away") await sleep(pause);
      if (answer.kind === "session" && !(await this.signIn())) return this.machine.dispatch({ type: "givenUp", wish });
      if (!this.machine.state.goal || this.machine.state.wish !== wish) return;
    }
  }

  async prefetch(places: number[]): Promise<void> {
    const answer = await fetchItems(assignment, places);
    if (answer.kind === "batch") return this.receiveLater(answer.items, places);
    this.machine.dispatch({ type: "received", expected: places });
    if (answer.kind === "gone") this.failed(answer);
  }

  /** For later: when the page has nothing else to do. */
  async stockUp(places: number[]): Promise<void> {
    await idle();
    await this.prefetch(places);
  }

  /** After what is wanted now. */
  async receiveLater(items: readonly ItemHtml[], expected: readonly number[]): Promise<void> {
    await this.machine.until((state) => state.arrivingSince === undefined);
    this.receive(items, expected);
  }

  private receive(items: readonly ItemHtml[], expected: readonly number[]): void {
    for (const item of items) this.stock.set(item.place, item);
    this.machine.dispatch({ type: "stocked", places: items.map(({ place }) => place), expected });
  }

  /** Gets items of the stock ready. */
  mount(places: readonly number[]): void {
    const wanted = places.filter((place) => !this.screen.has(place)).map((place) => this.stock.get(place));
    const elements = wanted.filter((html) => html !== undefined).map((html) => ItemElement.from(html));
    for (const element of elements) this.screen.mount(element);
    this.machine.dispatch({ type: "received", items: elements.map((element) => element.read()), expected: [] });
  }

  /** Discards the rest of the stock. */
  keep(places: ReadonlySet<number>): void {
    for (const place of this.stock.keys()) if (!places.has(place)) this.stock.delete(place);
  }

  /** The place whose item the answer to a message should bring. */
  want(message: Message): number | undefined {
    const { state } = this.machine;
    if (state.isClosed || !isDecision(message) || message.assignment !== assignment) return undefined;
    const [place] = missing(state);
    if (place !== undefined) this.machine.dispatch({ type: "requested", places: [place] });
    return place;
  }

  sent(answer: SendResult, want?: number): void {
    if (answer.kind === "session") this.machine.dispatch({ type: "otherPerson", name: answer.other });
    if (want === undefined || (answer.kind === "kept" && answer.item)) return;
    this.machine.dispatch({ type: "received", items: answer.kind === "kept" ? [] : undefined, expected: [want] });
  }

  /** Shows an item as the server holds it. */
  open(item: ItemElement, judgment: Judgment, message: Message): void {
    (document.activeElement as HTMLElement | null)?.blur(); // while a comment is being written, nothing else is shown
    this.screen.mount(item);
    const instance = isDecision(message) ? message.instance : undefined;
    this.machine.dispatch({ type: "replaced", item: item.read(), judgment, instance });
  }

  failed(answer: Nothing): void {
    if (answer.kind === "gone") this.machine.dispatch({ type: "close" });
    if (answer.kind !== "session") return;
    this.machine.dispatch({ type: "otherPerson", name: answer.other });
    void this.signIn();
  }

  signIn(): Promise<boolean> {
    return askToSignIn(this.machine.state.other);
  }
}
