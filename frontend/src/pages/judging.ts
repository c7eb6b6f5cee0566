// The judging desk: a decision is safe in this browser first, then the next item is on the screen, then the server
// has it. Without this file every item is a page with forms of its own.
import { answered, changed, settleLater } from "../desk/answers";
import { choose, decide, goOn, putOff, sameForTheRest, stand, undo } from "../desk/deciding";
import type { Decision } from "../desk/decision";
import { ItemView } from "../desk/item";
import { actionOf, Keys } from "../desk/keys";
import { assignment, find, user } from "../desk/page";
import { DEFERRED, OPEN } from "../desk/queue";
import { adopt, fill, label, show, showProgress, wanted } from "../desk/screen";
import { startOutbox } from "../desk/sender";
import { fetchItems } from "../desk/server";
import { at, known, queue, wired } from "../desk/state";
import { typeset } from "../math";

function act(action: string, event: KeyboardEvent): boolean {
  const grade = /^grade-(\d)$/.exec(action)?.[1];
  const word = grade ?? action;
  if (at.view.current.has(word)) void choose(word, event.timeStamp);
  else if (action === "rest") void sameForTheRest(event.timeStamp);
  else if (action === "undo") void undo();
  else if (action === "defer") void putOff();
  else if (action === "next" || action === "previous") void step(action === "next" ? 1 : -1);
  else if (action === "comment") at.view.current.comment.focus();
  else if (action === "thread") at.view.current.element.querySelector<HTMLAnchorElement>("a.thread")?.click();
  else if (action === "guide") find<HTMLDetailsElement>("#guide").querySelector("summary")!.click();
  else if (action === "keys") keys.open();
  else return document.dispatchEvent(new CustomEvent("assess:action", { detail: action, cancelable: true })) === false;
  return true;
}

async function step(by: number): Promise<void> {
  const place = at.view.place + by;
  if (!at.isBusy && place >= 1 && place <= queue.total) await show(place);
}

/** Another window or device may have gone on meanwhile. */
async function catchUp(): Promise<void> {
  if (document.visibilityState !== "visible") return;
  const batch = await fetchItems(assignment, [at.view.place]);
  if (!batch) return;
  const waits = new Set((await at.outbox.waiting()).map((one) => one.decision.instance));
  for (const [index, state] of [...batch.states].entries()) {
    if (queue.state(index + 1) === OPEN || queue.state(index + 1) === DEFERRED) queue.set(index + 1, state);
  }
  const fresh = ItemView.from(at.view.place, batch.items[0]!.html);
  for (const card of fresh.cards.filter((one) => !waits.has(one.instance))) {
    const mine = at.view.find(card.instance);
    if (mine && mine.standing.key !== card.standing.key) stand(at.view, mine, card.standing);
  }
  showProgress();
}

const keys = new Keys(act);
wired.choose = (word) => void choose(word);
wired.changeComment = (card) => decide(card, card.standing.word);
wired.keyOf = (word) => keys.label(actionOf(word));
document.addEventListener("assess:keys", () => {
  for (const item of [at.view, ...queue.spare(-99).map(([, one]) => one)]) label(item);
  labelFoot();
});

function labelFoot(): void {
  find("#undo kbd").textContent = keys.label("undo");
  find("#defer kbd").textContent = keys.label("defer");
}

find("#undo").addEventListener("click", () => void undo());
find("#defer").addEventListener("submit", (event) => {
  event.preventDefault();
  void putOff();
});
for (const [rel, by] of [["prev", -1], ["next", 1]] as const) {
  find(`.places [data-rel=${rel}]`).addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void step(by);
  });
}
addEventListener("beforeunload", (event) => {
  if (document.documentElement.dataset.waiting !== "0") event.preventDefault();
});
document.addEventListener("visibilitychange", () => void catchUp());

const guide = find<HTMLDetailsElement>("#guide");
const wantedGuide = localStorage.getItem("assess.guide");
if (wantedGuide !== null || matchMedia("(max-width: 50rem)").matches) guide.open = wantedGuide === "open";
guide.querySelector("summary")!.addEventListener("click", () => {
  localStorage.setItem("assess.guide", guide.open ? "closed" : "open"); // the click is about to toggle it
});

async function start(): Promise<void> {
  const conflicts: Decision[] = [];
  document.documentElement.dataset.waiting = "0";
  at.outbox = await startOutbox(user, { answered, changed, want: wanted, missed: (place) => queue.unask([place]) });
  for (const { decision, problem } of await at.outbox.waiting()) {
    if (decision.assignment !== assignment) continue;
    if (problem === "conflict") conflicts.push(decision);
    known.set(decision.instance, decision);
  }
  at.view.typeset = typeset(at.view.element);
  adopt(at.view);
  labelFoot();
  if (at.view.state === undefined || !known.size) await show(at.view.place);
  else await goOn(performance.now());
  fill(1);
  document.documentElement.dataset.desk = "ready";
  for (const decision of conflicts) void settleLater(decision);
}

void start();
