// Messages that the server did not take: judged otherwise elsewhere, or refused. The assessor is asked about each.
import { isDecision, newKey, NO_JUDGMENT, type Judgment, type Message } from "../model/messages";
import type { Outbox } from "./outbox";
import { inOneWindow } from "./sender";
import { fetchItems, type Batch, type ItemHtml, type Nothing } from "./server";
import type { Waiting } from "./store";

/** What the server holds now. `isUnseen`: the item cannot be shown, so that its judgment is not known. */
export interface Current {
  judgment: Judgment;
  isUnseen?: boolean;
  item?: ItemHtml;
}

/** "theirs" or "drop": the message is dropped; "ours" or "again": it is sent again; "open": the item is shown first. */
export type Choice = "theirs" | "ours" | "again" | "drop" | "open" | "";

/** What the page does for the conflicts. */
export interface ConflictPage {
  outbox: Outbox;
  assignment: string;
  user: string;
  ask(waiting: Waiting, current: Current): Promise<Choice>;
  /** The judgment of an instance in an item. */
  judgmentIn(item: ItemHtml, instance: string): Judgment | undefined;
  open(message: Message, current: Current): void;
  /** The server did not send the item. */
  failed(answer: Nothing): void;
}

export class Conflicts {
  /** The keys of messages that the assessor left open: asked about from the foot of the page, or when it is opened again. */
  private readonly left = new Set<string>();
  private asking: Promise<void> | undefined;

  constructor(private readonly page: ConflictPage) {}

  /** Whether the assessor has to be asked about it. */
  isUnsettled({ message, problem }: Waiting): boolean {
    return problem !== undefined && message.assignment === this.page.assignment && !this.left.has(message.key);
  }

  /** Asks in one window at a time, and only if it is seen. */
  askAboutAll(): void {
    if (document.visibilityState !== "visible") return;
    const name = `assess-ask-${this.page.user}`;
    this.asking ??= inOneWindow(name, () => this.askEach()).finally(() => (this.asking = undefined));
  }

  /** Asks again about those that were left open. */
  askAgain(): void {
    this.left.clear();
    void this.page.outbox.report();
  }

  private async next(): Promise<Waiting | undefined> {
    return (await this.page.outbox.waiting()).find((waiting) => this.isUnsettled(waiting));
  }

  private async askEach(): Promise<void> {
    for (let waiting = await this.next(); waiting; waiting = await this.next()) {
      const current = await this.currentOf(waiting.message);
      if (!current) return; // asked about when something changes next
      await this.act(waiting, current, await this.choiceFor(waiting, current));
    }
    await this.page.outbox.report();
  }

  /** Undefined if the server does not answer. */
  private async currentOf(message: Message): Promise<Current | undefined> {
    const answer = await fetchItems(message.assignment, [message.place]);
    if (answer.kind !== "batch") this.page.failed(answer);
    if (answer.kind === "session" || answer.kind === "away") return undefined;
    return answer.kind === "gone" ? { judgment: NO_JUDGMENT } : this.currentIn(answer, message);
  }

  private currentIn({ items: [item] }: Batch, message: Message): Current {
    if (!item) return { judgment: NO_JUDGMENT, isUnseen: true };
    const judgment = isDecision(message) ? this.page.judgmentIn(item, message.instance) : undefined;
    return { judgment: judgment ?? NO_JUDGMENT, item };
  }

  /** Nobody can choose between two judgments without seeing them. */
  private async choiceFor(waiting: Waiting, current: Current): Promise<Choice> {
    return waiting.problem === "conflict" && current.isUnseen ? "" : this.page.ask(waiting, current);
  }

  private async act(waiting: Waiting, { judgment }: Current, choice: Choice): Promise<void> {
    const { message } = waiting;
    if (choice === "") this.left.add(message.key);
    else if (choice === "open") await this.open(message);
    else if (choice === "again") await this.settle(waiting, judgment, message);
    else if (choice !== "ours" || !isDecision(message)) await this.settle(waiting, judgment);
    else await this.settle(waiting, judgment, { ...message, key: newKey(), after: judgment.key });
  }

  /** Shows the item as the server holds it; all other questions wait meanwhile. */
  private async open(message: Message): Promise<void> {
    const unsettled = (await this.page.outbox.waiting()).filter((waiting) => this.isUnsettled(waiting));
    for (const waiting of unsettled) this.left.add(waiting.message.key);
    const current = await this.currentOf(message);
    if (current?.item) this.page.open(message, current);
  }

  /** Unless another window has settled it meanwhile. */
  private async settle(waiting: Waiting, judgment: Judgment, again?: Message): Promise<void> {
    const isThere = (await this.page.outbox.waiting()).some(({ message }) => message.key === waiting.message.key);
    if (isThere) await this.page.outbox.settle(waiting, again && isDecision(again) ? again : judgment, again);
  }
}
