// Messages that the server did not take: judged otherwise elsewhere, or refused. The assessor is asked about each.
import { typeset } from "../../math";
import { isDecision, newKey, NO_JUDGMENT, type Judgment, type Message } from "../model/messages";
import type { Outbox } from "../sync/outbox";
import { inOneWindow } from "../sync/sender";
import { fetchItems } from "../sync/server";
import type { Waiting } from "../sync/store";
import { answerOf, dialog, inTurn } from "./dialogs";
import { ItemElement } from "./item";
import type { ItemLoader } from "./item_loader";
import { assignment, states, user, words } from "./page";
import type { Screen } from "./screen";
import { statusLine } from "./status";

/** What the server holds now. `isUnseen`: the item cannot be shown, so that its judgment is not known. */
interface Current {
  judgment: Judgment;
  isUnseen: boolean;
  item?: ItemElement;
}

export class Conflicts {
  /** The keys of messages that the assessor left open: asked about from the foot of the page, or when it is opened again. */
  private readonly left = new Set<string>();
  private asking: Promise<void> | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly screen: Screen,
    private readonly loader: ItemLoader,
  ) {}

  /** Whether the assessor has to be asked about it. */
  isUnsettled({ message, problem }: Waiting): boolean {
    return problem !== undefined && message.assignment === assignment && !this.left.has(message.key);
  }

  /** Asks in one window at a time, and only if it is seen. */
  askAboutAll(): void {
    if (document.visibilityState !== "visible") return;
    this.asking ??= inOneWindow(`assess-ask-${user}`, () => this.askEach()).finally(() => (this.asking = undefined));
  }

  /** Asks again about those that were left open. */
  askAgain(): void {
    this.left.clear();
    void this.outbox.report();
  }

  private async unsettled(): Promise<Waiting[]> {
    return (await this.outbox.waiting()).filter((waiting) => this.isUnsettled(waiting));
  }

  private async askEach(): Promise<void> {
    for (let [waiting] = await this.unsettled(); waiting; [waiting] = await this.unsettled()) {
      const current = await this.currentOf(waiting.message);
      if (!current) return; // asked about when something changes next
      const isBlind = waiting.problem === "conflict" && current.isUnseen; // nobody can choose between judgments unseen
      await this.settle(waiting, current, isBlind ? "" : await inTurn(() => this.ask(waiting, current)));
    }
    await this.outbox.report();
  }

  /** Undefined if the server does not answer. */
  private async currentOf(message: Message): Promise<Current | undefined> {
    const answer = await fetchItems(message.assignment, [message.place]);
    if (answer.kind !== "batch") this.loader.failed(answer);
    if (answer.kind === "away") statusLine.say(words.offline!, "waiting");
    if (answer.kind === "session" || answer.kind === "away") return undefined;
    const [html] = answer.kind === "batch" ? answer.items : [];
    const item = html && ItemElement.from(html);
    const judgment = item?.cardOf(message)?.read().judgment ?? NO_JUDGMENT;
    return { judgment, isUnseen: answer.kind === "batch" && !item, item };
  }

  /** "theirs" or "drop": the message is dropped; "ours" or "again": it is sent again; "open": the item is shown first;
   * "" leaves it open. */
  private async settle(waiting: Waiting, { judgment }: Current, choice: string): Promise<void> {
    const { message } = waiting;
    if (choice === "") return void this.left.add(message.key);
    if (choice === "open") return this.open(message);
    const isThere = (await this.outbox.waiting()).some((other) => other.message.key === message.key);
    if (!isThere) return; // another window was quicker
    const ours = { ...message, key: newKey(), after: judgment.key };
    const again = choice === "again" ? message : choice === "ours" ? ours : undefined;
    await this.outbox.settle(waiting, again && isDecision(again) ? again : judgment, again);
  }

  /** Shows the item as the server holds it by now; all other questions wait meanwhile. */
  private async open(message: Message): Promise<void> {
    for (const unsettled of await this.unsettled()) this.left.add(unsettled.message.key);
    const current = await this.currentOf(message);
    if (current?.item) this.loader.open(current.item, current.judgment, message);
  }

  private ask({ message, problem }: Waiting, { judgment, item }: Current): Promise<string> {
    const isConflict = problem === "conflict" && isDecision(message);
    const box = dialog(isConflict ? "conflict" : "refused");
    const part = (name: string): HTMLElement => box.querySelector<HTMLElement>(`[data-${name}]`)!;
    const card = item?.cardOf(message);
    const opener = box.querySelector<HTMLElement>("[value=open]")!;
    part("name").hidden = part("item").hidden = opener.hidden = !card;
    part("name").textContent = card?.name ?? "";
    part("item").replaceChildren(...(card?.gist() ?? []));
    void typeset(part("item"));
    const ours = this.describe(message, isDecision(message) ? message : undefined);
    part(isConflict ? "ours" : "decided").textContent = ours;
    if (isConflict) part("theirs").textContent = this.describe(message, judgment);
    else part("problem").textContent = words[`refused_${problem}`] ?? problem!;
    return answerOf(box);
  }

  /** Without a judgment it is a deferral. */
  private describe({ place }: Message, judgment?: { word: string; comment: string }): string {
    const word = judgment?.word ? this.screen.card.label(judgment.word) : judgment ? words.not_judged! : words.defer!;
    const comment = judgment?.comment ? `, “${judgment.comment}”` : "";
    return `${place} ${words.place} ${states.length}: ${word}${comment}`;
  }
}
