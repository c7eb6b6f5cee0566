// Gets items from the server onto the page.
import type { Machine } from "./model/machine";
import { isDecision, type Judgment, type Message } from "./model/messages";
import { missing } from "./model/order";
import type { Item } from "./model/state";
import { loadDraft } from "./sync/local_data";
import { fetchItems, type Answer, type ItemHtml, type Nothing } from "./sync/server";
import { ItemElement } from "./view/item";
import { assignment } from "./view/page";
import type { Screen } from "./view/screen";

/** So long, in milliseconds, nothing can be decided while an item is on its way. */
const PATIENCE = 1000;

export const read = (item: ItemElement): Item => item.read((instance) => loadDraft(assignment, instance));
export const parse = ({ place, html }: ItemHtml): ItemElement => ItemElement.from(place, html);

export class ItemLoader {
  constructor(
    private readonly machine: Machine,
    private readonly screen: Screen,
    private readonly failed: (answer: Nothing) => void,
  ) {}

  /** The item that is wanted now. */
  async fetch(place: number, wish: number): Promise<void> {
    const timer = setTimeout(() => this.machine.dispatch({ type: "slow", wish }), PATIENCE);
    const answer = await fetchItems(assignment, [place]);
    clearTimeout(timer);
    if (answer.kind === "batch") this.receive(answer.items, [place]);
    if (answer.kind === "session") this.machine.dispatch({ type: "otherPerson", name: answer.other });
    this.machine.dispatch({ type: "fetched", wish, place, result: answer.kind, isWriting: this.screen.isWriting });
  }

  async prefetch(places: number[]): Promise<void> {
    const answer = await fetchItems(assignment, places);
    if (answer.kind === "batch") return this.receiveLater(answer.items, places);
    this.machine.dispatch({ type: "notSent", places });
    if (answer.kind === "gone") this.failed(answer);
  }

  /** After what is wanted now. */
  async receiveLater(items: readonly ItemHtml[], expected: readonly number[]): Promise<void> {
    await this.machine.until((state) => !state.isArriving);
    this.receive(items, expected);
  }

  private receive(items: readonly ItemHtml[], expected: readonly number[]): void {
    const elements = items.filter(({ place }) => !this.screen.has(place)).map(parse);
    for (const element of elements) this.screen.mount(element);
    this.machine.dispatch({ type: "received", items: elements.map(read), expected });
  }

  /** The place whose item the answer to a message should bring. */
  want(message: Message): number | undefined {
    const { state } = this.machine;
    if (state.isClosed || !isDecision(message) || message.assignment !== assignment) return undefined;
    const [place] = missing(state);
    if (place !== undefined) this.machine.dispatch({ type: "requested", places: [place] });
    return place;
  }

  /** The answer did not bring it. */
  missed(place: number, { kind }: Answer): void {
    if (kind === "kept") this.machine.dispatch({ type: "received", items: [], expected: [place] });
    else this.machine.dispatch({ type: "notSent", places: [place] });
  }

  /** Shows an item as the server holds it. */
  open(html: ItemHtml, judgment: Judgment, message: Message): void {
    (document.activeElement as HTMLElement | null)?.blur(); // while a comment is being written, nothing else is shown
    const item = parse(html);
    this.screen.mount(item);
    this.machine.dispatch({ type: "replaced", item: read(item), judgment, instance: isDecision(message) ? message.instance : undefined });
  }
}
