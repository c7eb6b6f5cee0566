// What the server did not keep: decided otherwise elsewhere, or refused. The assessor is asked about one after the other.
import { isDecision, newKey, type Message, type Standing } from "./decision";
import { askWhetherAgain, askWhichHolds, inTurn } from "./dialogs";
import { ItemView } from "./item";
import { assignment, user, words } from "./page";
import { inOneWindow } from "./sender";
import { fetchItems } from "./server";
import { askToSignIn } from "./session";
import { at, close, queue } from "./state";
import type { Waiting } from "./store";

/** The keys of what the assessor was asked about and left open: asked again when the page is opened again. */
const left = new Set<string>();

export const isOpen = ({ message, problem }: Waiting): boolean =>
  problem !== undefined && message.assignment === assignment && !left.has(message.key);

let asking: Promise<void> | undefined;

/** In one window at a time, and only where it is seen. */
export function askAboutAll(): void {
  if (document.visibilityState !== "visible") return;
  asking ??= inOneWindow(`assess-ask-${user}`, askEach).finally(() => (asking = undefined));
}

async function askEach(): Promise<void> {
  const next = async (): Promise<Waiting | undefined> => (await at.outbox.waiting()).find(isOpen);
  for (let one = await next(); one; one = await next()) {
    const standing = await standingOf(one.message);
    if (!standing) return; // asked about when something changes next
    const again = await inTurn(() => askAbout(one!, standing));
    if (again === "left") left.add(one.message.key);
    else await settle(one, standing, again);
  }
  await at.outbox.tell();
}

const NOTHING: Standing = { word: "", comment: "", key: "" };

/** What the server holds of the document now; undefined where that cannot be learned. */
async function standingOf(message: Message): Promise<Standing | undefined> {
  const batch = await fetchItems(assignment, [message.place]);
  if (batch.kind === "session") void askToSignIn();
  if (batch.kind === "gone") close();
  if (batch.kind === "session" || batch.kind === "away") return undefined;
  if (batch.kind === "gone" || !isDecision(message)) return NOTHING;
  return ItemView.from(message.place, batch.items[0]!.html).find(message.instance)?.standing ?? NOTHING;
}

/** What is to be sent instead: nothing where the assessor lets it go. */
async function askAbout({ message, problem }: Waiting, standing: Standing): Promise<Message | undefined | "left"> {
  const ours = told(message.place, isDecision(message) ? message : undefined);
  if (problem === "conflict" && isDecision(message)) {
    const choice = await askWhichHolds(told(message.place, standing), ours);
    if (choice === "ours") return { ...message, key: newKey(), after: standing.key };
    return choice === "theirs" ? undefined : "left";
  }
  const choice = await askWhetherAgain(ours, words[`refused_${problem}`] ?? problem!);
  if (choice === "again") return message;
  return choice === "drop" ? undefined : "left";
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
