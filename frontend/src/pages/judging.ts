// The judging desk: a decision is safe in this browser first, then the next item is on the screen, then the server
// has it. Without this file every item is a page with forms of its own.
import { answered, changed } from "../desk/answers";
import { changeComment, choose, putOff, sameForTheRest, stand, undo } from "../desk/deciding";
import { isDecision } from "../desk/decision";
import { goOn } from "../desk/going";
import { ItemView } from "../desk/item";
import { actionOf, Keys } from "../desk/keys";
import { adopt, label } from "../desk/mounting";
import { assignment, say, user, words } from "../desk/page";
import { keepPast, UNDO } from "../desk/past";
import { DEFERRED, OPEN } from "../desk/queue";
import { show, showProgress } from "../desk/screen";
import { startOutbox } from "../desk/sender";
import { fetchItems } from "../desk/server";
import { askToSignIn, signedIn } from "../desk/session";
import { at, close, known, past, queue, wired } from "../desk/state";
import { fill, missed, wanted } from "../desk/supply";
import { tellEarly } from "../desk/telling";
import { take } from "../desk/turns";
import { isWalk, neighbour } from "../desk/walk";
import { find } from "../find";
import { painted } from "../frame";
import { typeset } from "../math";

/** What can still be done where the topic was taken back. */
const READING = ["next", "previous", "thread", "guide", "keys", "marks"];

/** So long, in milliseconds, a number right after the key of an outcome is meant for a reason, and is no grade, also where
 * the box did not open. */
const REASON = 1500;

/** The last key that asks why, and what tells that such a number is not taken. */
let asking = { since: -REASON, tell: tellEarly };

function act(action: string, event: KeyboardEvent): boolean {
  if (at.isClosed && !READING.includes(action)) {
    say(""); // to be seen and heard anew
    void painted().then(close);
    return true;
  }
  const grade = /^grade-(\d)$/.exec(action)?.[1];
  const word = grade ?? action;
  const since = event.timeStamp;
  const { current } = at.view;
  const isReason = grade !== undefined && since - asking.since < REASON && at.asked < asking.since;
  if (isReason) asking.tell();
  asking = { since: current.asksWhy(word) ? since : -REASON, tell: tellEarly };
  if (isReason) return true;
  if (current.has(word)) void take(() => choose(word, since), since);
  else if (action === "same") void take(() => sameForTheRest(since), since);
  else if (action === "undo") void take(undo, since, true);
  else if (action === "defer") void take(putOff, since);
  else if (action === "next" || action === "previous") void step(action === "next" ? 1 : -1);
  else if (grade) say(words.no_grade!);
  else if (action === "not_matching") noMatch(since);
  else if (action === "comment") comment();
  else if (action === "thread") openThread();
  else if (action === "keys") keys.open();
  else return document.dispatchEvent(new CustomEvent("assess:action", { detail: action, cancelable: true })) === false;
  return true;
}

function noMatch(since: number): void {
  asking = { since, tell: () => say(words.no_match!) };
  asking.tell();
}

function comment(): void {
  at.view.element.inert = false; // it may have come a moment ago
  at.view.current.comment.focus();
}

function openThread(): void {
  const link = at.view.current.element.querySelector<HTMLAnchorElement>("a.thread");
  if (link) link.click();
  else say(words.no_thread!);
}

/** To the place before or after, past those that cannot be shown. */
async function step(by: 1 | -1, from = at.view.place): Promise<void> {
  const place = neighbour(from, by);
  if (!at.isBusy && place !== undefined) {
    at.heading = by;
    const coming = show(place);
    const { turn } = at;
    if (!(await coming) && turn === at.turn && queue.absent.includes(place)) await step(by, place);
  } else if (isWalk && by > 0 && place === undefined) say(words.walk_end!);
}

/** Another window or device may have gone on meanwhile. What waits, or is decided while the server is asked, stays. */
async function catchUp(): Promise<void> {
  if (document.visibilityState !== "visible") return;
  void at.outbox.tell();
  const item = at.view;
  const [states, keys] = [queue.states, item.cards.map((card) => card.standing.key)];
  const waiting = (await at.outbox.waiting()).map((one) => one.message).filter((one) => one.assignment === assignment);
  const batch = await fetchItems(assignment, [item.place]);
  if (batch.kind === "session") void askToSignIn();
  if (batch.kind === "gone") close();
  if (batch.kind !== "batch") return;
  signedIn();
  for (const [index, state] of [...batch.states].entries()) {
    const isFree = states[index] === queue.state(index + 1) && !waiting.some((one) => one.place === index + 1);
    if (!isFree) continue;
    queue.defer(index + 1, batch.deferred.includes(index + 1));
    if (state === OPEN || state === DEFERRED) queue.set(index + 1);
  }
  const [now] = batch.items;
  for (const { instance, standing } of now ? ItemView.from(now.place, now.html).cards : []) {
    const mine = item.cards.findIndex((card) => card.instance === instance);
    const card = item.cards[mine];
    const isFree = card?.standing.key === keys[mine] && !waiting.some((one) => isDecision(one) && one.instance === instance);
    if (card && isFree && keys[mine] !== standing.key) stand(item, card, standing);
  }
  showProgress();
}

let keys: Keys;

/** From now on the desk hears keys and buttons. Before that forms go to the server as they do without scripts, and keys
 * do nothing: whatever was decided could not be kept. */
function listen(): void {
  keys = new Keys(act);
  document.addEventListener("assess:keys", () => {
    queue.all.forEach(label);
    labelFoot();
  });
  wired.choose = (word) => void take(() => choose(word));
  wired.changeComment = changeComment;
  wired.keyOf = (word) => keys.label(actionOf(word));
  adopt(at.view);
  labelFoot();
  find("#undo").addEventListener("click", () => void take(undo, performance.now(), true));
  find("#defer").addEventListener("submit", (event) => {
    event.preventDefault();
    void take(putOff);
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
  addEventListener("pagehide", () => keepPast(assignment, past));
  document.addEventListener("visibilitychange", () => void catchUp());
}

function labelFoot(): void {
  find("#undo kbd").textContent = keys.label("undo");
  find("#defer kbd").textContent = keys.label("defer");
}

async function start(): Promise<void> {
  const isUndoing = location.hash === UNDO;
  document.documentElement.dataset.waiting = "0";
  at.outbox = await startOutbox(user, { answered, changed, want: wanted, missed });
  let isOnItsWay = false;
  for (const { message, problem } of await at.outbox.waiting()) {
    if (message.assignment !== assignment) continue;
    isOnItsWay ||= problem === undefined && message.place === at.view.place;
    if (isDecision(message)) known.set(message.instance, message);
    else queue.defer(message.place, message.defer === "yes");
  }
  at.view.typeset = typeset(at.view.element);
  listen();
  if (isUndoing || at.view.state === undefined || !isOnItsWay) await show(at.view.place);
  else await goOn(performance.now());
  fill(1);
  if (isUndoing) await undo();
  await catchUp();
  document.documentElement.dataset.desk = "ready"; // for tests: nothing that was begun here is on its way any longer
}

void start();
