// What the server said: kept, decided otherwise elsewhere, refused, or that the session has ended.
import type { Decision, Standing } from "./decision";
import { askPassword, askWhetherAgain, askWhichHolds } from "./dialogs";
import { stand } from "./deciding";
import { ItemView } from "./item";
import { assignment, login, name, say, words } from "./page";
import { mount } from "./screen";
import { fetchItems, signIn, type Answer } from "./server";
import { at, known, queue } from "./state";

export function answered(decision: Decision, answer: Answer): void {
  if (decision.assignment !== assignment) return;
  if (answer.kind === "kept") {
    const isLast = (known.get(decision.instance)?.key ?? decision.key) === decision.key;
    if (isLast) {
      standAt(decision, answer.standing);
    }
    if (answer.item && !queue.get(answer.item.place)) mount(answer.item);
  } else if (answer.kind === "conflict") void settle(decision, answer.standing);
}

/** What holds of a document from now on, here or in another window. */
function standAt({ place, instance }: Decision, standing: Standing): void {
  known.set(instance, standing);
  const item = queue.get(place);
  const card = item?.find(instance);
  if (item && card && card.standing.key !== standing.key) stand(item, card, standing);
}

/** Two decisions about one document: the assessor says which one holds; until then both are kept. */
async function settle(decision: Decision, standing: Standing): Promise<void> {
  const waiting = (await at.outbox.waiting()).find((one) => one.decision.key === decision.key);
  if (!waiting) return;
  const named = (word: string): string => (word ? at.view.current.label(word) : words.not_judged!);
  const place = `${decision.place} ${words.place} ${queue.total}: `;
  const choice = await askWhichHolds(place + named(standing.word), place + named(decision.word));
  if (!choice) return; // asked again when the page is opened again
  const ours = choice === "ours";
  const again = { ...decision, key: crypto.randomUUID(), after: standing.key };
  await at.outbox.settle(waiting, ours ? again : undefined);
  standAt(decision, ours ? { word: again.word, comment: again.comment, key: again.key } : standing);
}

let isAsking = false;

export function changed(waiting: number, problems: number, state: string): void {
  document.documentElement.dataset.waiting = String(waiting + problems);
  if (waiting + problems === 0) document.dispatchEvent(new Event("assess:sent"));
  if (problems) void showRefusals();
  else if (state === "session") {
    say(`${waiting} ${words.waiting}, ${words.session}`, "bad");
    void askToSignIn();
  } else if (state === "away") say(`${navigator.onLine ? "" : `${words.offline}, `}${waiting} ${words.waiting}`, "bad");
  else if (waiting > 1) say(`${waiting} ${words.waiting}`);
  else if (waiting === 0 && state === "idle" && known.size) say(at.isUndone ? words.undone! : words.saved!, "good");
}

async function askToSignIn(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  await askPassword((password) => signIn(login, name, password), words.wrong!);
  isAsking = false;
  at.outbox.wake();
}

/** What the server would not keep: the assessor tries again, or lets it go. */
async function showRefusals(): Promise<void> {
  const refused = (await at.outbox.waiting()).filter((one) => one.problem !== undefined && one.problem !== "conflict");
  if (!refused.length || isAsking) return;
  isAsking = true;
  for (const one of refused) {
    const { decision, problem } = one;
    const again = await askWhetherAgain(`${decision.place} ${words.place} ${queue.total}: ${decision.word}`, problem!);
    if (again) await at.outbox.settle(one, again === "again" ? decision : undefined);
    if (again === "drop") standAt(decision, { word: "", comment: "", key: decision.after });
  }
  isAsking = false;
}

/** A conflict that was left open: what stands now is asked for, then which one holds. */
export async function settleLater(decision: Decision): Promise<void> {
  const batch = await fetchItems(assignment, [decision.place]);
  const card = batch && ItemView.from(decision.place, batch.items[0]!.html).find(decision.instance);
  if (card) await settle(decision, card.standing);
}
