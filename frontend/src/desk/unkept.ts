// What the server did not keep: decided otherwise elsewhere, or refused. The assessor is asked about one after the other.
import { isDecision, newKey, type ItemHtml, type Message, type Standing } from "./decision";
import { askWhetherAgain, askWhichHolds, inTurn } from "./dialogs";
import { ItemView, type Card } from "./item";
import { mount, turnTo } from "./mounting";
import { assignment, say, user, words } from "./page";
import { show } from "./screen";
import { inOneWindow } from "./sender";
import { fetchItems } from "./server";
import { askToSignIn } from "./session";
import { at, close, known, queue } from "./state";
import type { Waiting } from "./store";

/** The keys of what the assessor was asked about and left open: asked again from the foot, or when the page is opened. */
const left = new Set<string>();

export const isOpen = ({ message, problem }: Waiting): boolean =>
  problem !== undefined && message.assignment === assignment && !left.has(message.key);

let asking: Promise<void> | undefined;

/** In one window at a time, and only where it is seen. */
export function askAboutAll(): void {
  if (document.visibilityState !== "visible") return;
  asking ??= inOneWindow(`assess-ask-${user}`, askEach).finally(() => (asking = undefined));
}

/** Once more about what was left. */
export function askAgain(): void {
  left.clear();
  void at.outbox.tell(); // it waits again, and is asked about
}

async function askEach(): Promise<void> {
  const next = async (): Promise<Waiting | undefined> => (await at.outbox.waiting()).find(isOpen);
  for (let one = await next(); one; one = await next()) {
    const held = await heldOf(one.message);
    if (!held) return; // asked about when something changes next
    const again = await inTurn(() => askAbout(one!, held));
    if (again === "left") left.add(one.message.key);
    else if (again === "open") await open(one.message);
    else await settle(one, held.standing, again);
  }
  await at.outbox.tell();
}

const NOTHING: Standing = { word: "", comment: "", key: "" };

/** What the server holds now: what stands of the document, and the item, if there is one. `isUnseen`: it cannot be
 * shown, so that neither is known. */
interface Held {
  standing: Standing;
  isUnseen?: boolean;
  item?: ItemHtml;
  card?: Card;
}

/** Undefined where that cannot be learned. */
async function heldOf(message: Message): Promise<Held | undefined> {
  const batch = await fetchItems(assignment, [message.place]);
  if (batch.kind === "session") void askToSignIn();
  if (batch.kind === "away") say(words.offline!, "bad");
  if (batch.kind === "gone") close();
  if (batch.kind === "session" || batch.kind === "away") return undefined;
  if (batch.kind === "gone") return { standing: NOTHING };
  const item = batch.items[0];
  if (!item) return { standing: NOTHING, isUnseen: true };
  const { cards } = ItemView.from(message.place, item.html);
  if (!isDecision(message)) return { standing: NOTHING, item, card: cards[0]! };
  const card = cards.find((one) => one.instance === message.instance);
  return { standing: card?.standing ?? NOTHING, item, card };
}

/** What is to be sent instead: nothing where the assessor lets it go. */
async function askAbout({ message, problem }: Waiting, held: Held): Promise<Message | undefined | "left" | "open"> {
  const { standing, card } = held;
  const about = card && { name: card.name, parts: card.gist() };
  if (held.isUnseen && problem === "conflict") return "left"; // nobody can say which of two holds without seeing them
  const ours = told(message.place, isDecision(message) ? message : undefined);
  let choice: string;
  if (problem === "conflict" && isDecision(message)) {
    choice = await askWhichHolds(told(message.place, standing), ours, about);
    if (choice === "ours") return { ...message, key: newKey(), after: standing.key };
  } else {
    choice = await askWhetherAgain(ours, words[`refused_${problem}`] ?? problem!, about);
    if (choice === "again") return message;
  }
  if (choice === "open") return choice;
  return choice === "theirs" || choice === "drop" ? undefined : "left";
}

/** The item as the server holds it, on the screen; all that is asked about waits meanwhile. */
async function open(asked: Message): Promise<void> {
  for (const { message } of (await at.outbox.waiting()).filter(isOpen)) left.add(message.key);
  const { standing, item, card } = (await heldOf(asked)) ?? {};
  if (!item) return;
  if (card) known.set(card.instance, standing!);
  mount(item);
  (document.activeElement as HTMLElement | null)?.blur(); // where a comment is being written, nothing else is shown
  const view = await show(item.place);
  const there = card && view?.find(card.instance);
  if (there) turnTo(there);
}

function told(place: number, said: { word: string; comment: string } | undefined): string {
  const word = said?.word ? at.view.current.label(said.word) : said ? words.not_judged! : words.defer!;
  return `${place} ${words.place} ${queue.total}: ${word}${said?.comment ? `, “${said.comment}”` : ""}`;
}

/** Unless another window has settled it meanwhile. */
async function settle(one: Waiting, standing: Standing, again?: Message): Promise<void> {
  const isThere = (await at.outbox.waiting()).some(({ message }) => message.key === one.message.key);
  if (isThere) await at.outbox.settle(one, again && isDecision(again) ? again : standing, again);
}
