// What the outbox tells: that something was kept, what waits, and what stands in its way.
import { isDecision, type Decision, type Message, type Standing } from "./decision";
import { stand } from "./deciding";
import { leavePassword } from "./dialogs";
import { later } from "./mounting";
import type { State } from "./outbox";
import { assignment, offer, words } from "./page";
import { address, type Answer } from "./server";
import { askToSignIn } from "./session";
import { at, close, known, queue } from "./state";
import type { Waiting } from "./store";
import { sayHow } from "./telling";
import { askAboutAll, askAgain, isOpen } from "./unkept";

export function answered(message: Message, answer: Answer): void {
  if (answer.kind === "kept") leavePassword(); // another window may have sent it
  if (message.assignment !== assignment || answer.kind !== "kept") return;
  if (isDecision(message) && answer.standing) standAt(message, answer.standing);
  if (answer.isClosed) close();
  else if (answer.item) later(answer.item);
}

/** What holds of a document after a decision, made here or in another window; unless a later one is known here. */
function standAt({ key, after, place, instance }: Decision, standing: Standing): void {
  const mine = known.get(instance)?.key;
  if (mine !== undefined && mine !== key && mine !== after) return;
  known.set(instance, standing);
  const item = queue.get(place);
  const card = item?.find(instance);
  if (item && card && card.standing.key !== standing.key) stand(item, card, standing);
}

export function changed(all: Waiting[], state: State, adding: number): void {
  const unkept = all.filter((one) => one.problem !== undefined);
  const waiting = all.length - unkept.length + adding;
  const open = unkept.filter(isOpen).length;
  document.documentElement.dataset.waiting = String(waiting + open);
  if (waiting + open === 0) document.dispatchEvent(new Event("assess:sent"));
  if (open) askAboutAll();
  if (waiting) at.done ||= words.saved!;
  if (state === "session") void askToSignIn();
  else offerToLook(unkept);
  sayHow({ waiting, unkept: unkept.length, state });
}

/** At what was not kept: here, else where it was decided. */
function offerToLook(unkept: Waiting[]): void {
  const { message } = unkept.find((one) => one.message.assignment === assignment) ?? unkept[0] ?? {};
  if (!message) offer();
  else if (message.assignment === assignment) offer(words.look, askAgain);
  else offer(words.look, () => location.assign(address(message.assignment, message.place)));
}
