// The judging desk: a decision is safe in this browser first, then the next item is on the screen, then the server
// has it. Without this file every item is a page with forms of its own.
import { Clock } from "../desk/clock";
import type { Decision, ItemHtml, Standing } from "../desk/decision";
import { askPassword, askWhetherAgain, askWhichHolds, askWhy } from "../desk/dialogs";
import { ItemView, type Card } from "../desk/item";
import { actionOf, Keys } from "../desk/keys";
import type { Outbox } from "../desk/outbox";
import { DEFERRED, OPEN, Queue } from "../desk/queue";
import { sleep, startOutbox } from "../desk/sender";
import { defer, fetchItems, signIn, type Answer } from "../desk/server";
import { painted } from "../frame";
import { typeset } from "../math";

const find = <Kind extends HTMLElement>(selector: string): Kind => document.querySelector<Kind>(selector)!;

const desk = find("#desk");
const { user } = document.documentElement.dataset;
const { name, assignment, login } = desk.dataset as Record<string, string>;
const words = find("#words").dataset as Record<string, string>;
const stack = find("#items");
const status = find("#status");
const listAddress = find<HTMLAnchorElement>("#list").href;

const queue = new Queue<ItemView>(desk.dataset.states!);
/** What this window has decided of documents, before the server knows. */
const known = new Map<string, Standing>();
const past: { place: number; instance: string; before: Standing }[] = [];
let view = new ItemView(Number(desk.dataset.place), stack.querySelector<HTMLElement>(".item")!);
let isBusy = false;
let outbox: Outbox;

const clock = new Clock((milliseconds) => (view.current.activeMs += milliseconds));

// --- the item on the screen

function mount({ place, html }: ItemHtml): ItemView {
  queue.get(place)?.element.remove();
  const item = ItemView.from(place, html);
  stack.append(item.element);
  item.typeset = typeset(item.element);
  // Set and laid out once, it is kept as it is, unseen: bringing it on the screen then costs next to nothing.
  void item.typeset.then(painted).then(() => item.element.classList.add("ready"));
  adopt(item);
  return item;
}

function adopt(item: ItemView): void {
  for (const card of item.cards) {
    const standing = known.get(card.instance);
    if (standing) card.stand(standing);
    card.form.addEventListener("submit", (event) => {
      event.preventDefault();
      view.select(card);
      void choose((event.submitter as HTMLButtonElement).value);
    });
    for (const kind of ["focusin", "pointerdown"]) {
      card.element.addEventListener(kind, () => view === item && turnTo(card));
    }
    card.comment.addEventListener("keydown", (event) => leaveComment(card, event));
    card.comment.addEventListener("change", () => card.isCommentChanged && decide(card, card.standing.word));
  }
  label(item);
  document.dispatchEvent(new CustomEvent("assess:mounted", { detail: item.element }));
  queue.put(item.place, item);
  settleState(item);
}

function settleState(item: ItemView): void {
  const state = item.state ?? (queue.state(item.place) === DEFERRED ? DEFERRED : OPEN);
  queue.set(item.place, state);
}

function label(item: ItemView): void {
  for (const card of item.cards) {
    for (const button of card.buttons) button.querySelector("kbd")!.textContent = keys.label(actionOf(button.value));
  }
}

function turnTo(card: Card): void {
  clock.tick();
  view.select(card);
}

function leaveComment(card: Card, event: KeyboardEvent): void {
  const isDone = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
  if (!isDone || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  card.comment.blur();
  card.element.focus({ preventScroll: true });
}

/** Brings a place on the screen; resolves when it is painted, formulas and all. */
async function show(place: number, since = performance.now()): Promise<void> {
  const item = queue.get(place) ?? (await load(place));
  clock.tick();
  const left = view;
  left.element.classList.toggle("current", left === item);
  item.element.classList.add("current");
  if (item !== left) item.shown = performance.now();
  view = item;
  view.select(view.open ?? view.cards[0]!);
  find("#place").textContent = String(place);
  await Promise.all([view.typeset.then(painted), safe]);
  performance.measure("assess.painted", { start: since, detail: { place } });
  document.documentElement.dataset.painted = String(place);
  setTimeout(() => settleDown(left)); // whatever makes the browser lay the page out anew comes after the paint
}

function settleDown(left: ItemView): void {
  const { place } = view;
  if (left !== view) {
    left.element.scrollTop = 0;
    left.element.classList.add("ready");
  }
  if (document.querySelector("dialog[open]") === null) view.current.element.focus({ preventScroll: true });
  showPlace();
  for (const [other, spare] of queue.spare(place)) {
    spare.element.remove();
    queue.forget(other);
  }
  fill();
}

function showPlace(): void {
  const { place } = view;
  document.title = document.title.replace(/, \d+ /, `, ${place} `);
  history.replaceState(null, "", `/judge/${assignment}/${place}/`);
  for (const [rel, to] of [["prev", place - 1], ["next", place + 1]] as const) {
    const link = find<HTMLAnchorElement>(`.places [data-rel=${rel}]`);
    link.classList.toggle("quiet", to < 1 || to > queue.total);
    link.href = to < 1 || to > queue.total ? "" : `/judge/${assignment}/${to}/`;
  }
  showProgress();
}

function showProgress(): void {
  find("#judged").textContent = String(queue.judged);
  find<HTMLProgressElement>(".desk-bar progress").value = queue.judged;
  const button = find<HTMLButtonElement>("#defer button");
  button.firstChild!.textContent = `${queue.state(view.place) === DEFERRED ? words.undefer : words.defer} `;
  button.parentElement!.hidden = view.state !== undefined;
  find("#undo").hidden = past.length === 0;
  document.dispatchEvent(new CustomEvent("assess:shown", { detail: view.place }));
}

/** Gets an item that was not ready, as soon as the server can be reached. */
async function load(place: number): Promise<ItemView> {
  say(words.loading!);
  for (let pause = 500; ; pause = Math.min(2 * pause, 10_000)) {
    const batch = await fetchItems(assignment!, [place]);
    const ready = queue.get(place); // it may have come by itself meanwhile
    if (ready || batch) {
      say("");
      return ready ?? mount(batch!.items[0]!);
    }
    say(words.offline!, "bad");
    await sleep(pause);
  }
}

/** Asks for what will be wanted soon, if more is missing than the saves bring. */
function fill(least = 4): void {
  const places = queue.missing(view.place);
  if (places.length < least) return;
  queue.ask(places);
  void fetchItems(assignment!, places).then((batch) => {
    if (batch) batch.items.filter(({ place }) => !queue.get(place)).forEach(mount);
    else queue.unask(places);
  });
}

/** The place whose item the next save shall bring. */
function wanted(): number | undefined {
  const place = queue.missing(view.place)[0];
  if (place !== undefined) queue.ask([place]);
  return place;
}

// --- decisions

/** A grade or an outcome for the current candidate, asking for a reason where one is needed. */
async function choose(word: string, since = performance.now()): Promise<void> {
  if (isBusy) return;
  const card = view.current;
  if (word === "") return takeBack(card);
  if (card.asksWhy(word)) {
    const why = await askWhy(word, card.comment.value, word !== "not_matching");
    if (why === undefined) return card.element.focus({ preventScroll: true });
    card.comment.value = why;
    since = performance.now();
  }
  isBusy = true;
  try {
    past.push({ place: view.place, instance: card.instance, before: card.standing });
    decide(card, word);
    await goOn(since);
  } finally {
    isBusy = false;
  }
}

function takeBack(card: Card): void {
  past.push({ place: view.place, instance: card.instance, before: card.standing });
  decide(card, "");
}

/** Resolves when all that was decided is safe in this browser. The next item is put on the screen meanwhile; nothing
 * more can be decided before both are done. */
let safe: Promise<unknown> = Promise.resolve();

/** Keeps a decision in this browser; the outbox sends it. */
function decide(card: Card, word: string, comment = card.comment.value.trim()): void {
  clock.tick();
  say("");
  const decision: Decision = {
    key: crypto.randomUUID(),
    assignment: assignment!,
    place: view.place,
    instance: card.instance,
    content_hash: card.contentHash,
    after: card.standing.key,
    word,
    comment: word ? comment : "",
    active_ms: Math.round(card.activeMs),
    wall_ms: Math.round(performance.now() - view.shown),
  };
  card.activeMs = 0;
  const [item, before] = [view, card.standing];
  stand(item, card, { word, comment: decision.comment, key: decision.key });
  document.documentElement.dataset.waiting = String(Number(document.documentElement.dataset.waiting) + 1);
  safe = Promise.all([safe, outbox.add(decision)]).catch(async (error: unknown) => {
    stand(item, card, before);
    await show(item.place);
    say(`${words.unsafe} ${String(error)}`, "bad");
  });
}

function stand(item: ItemView, card: Card, standing: Standing): void {
  known.set(card.instance, standing);
  card.stand(standing);
  settleState(item);
  showProgress();
}

/** To the next open candidate: of this item, else of the next one; after the last to the list. */
async function goOn(since: number): Promise<void> {
  const open = view.open;
  if (open) {
    turnTo(open);
    open.element.focus({ preventScroll: true });
    open.element.scrollIntoView({ block: "start" });
    await Promise.all([painted(), safe]);
    return;
  }
  for (let next = queue.next(view.place); next !== undefined; next = queue.next(next)) {
    const item = queue.get(next) ?? (await load(next));
    if (item.open) return show(next, since); // else it was decided before, and only the server does not know yet
  }
  say(words.end!);
  void finish(view.place);
}

/** To the list, when the server has everything; unless the assessor has gone elsewhere by then. */
async function finish(place: number): Promise<void> {
  await safe;
  if (document.documentElement.dataset.waiting !== "0") {
    await new Promise((resolve) => document.addEventListener("assess:sent", resolve, { once: true }));
  }
  if (view.place === place && queue.next(place) === undefined) location.assign(listAddress);
}

/** The last decision of this window is taken back, and its candidate shown. */
async function undo(): Promise<void> {
  if (isBusy) return;
  const last = past.pop();
  if (!last) return say(words.nothing!);
  isBusy = true;
  try {
    await show(last.place);
    const card = view.find(last.instance);
    if (!card) return say(words.offline!, "bad");
    turnTo(card);
    card.element.focus({ preventScroll: true });
    decide(card, last.before.word, last.before.comment);
    await safe;
    say(words.undone!, "good");
  } finally {
    isBusy = false;
  }
}

/** The grade of the candidate before for all that are open in this item. */
async function sameForTheRest(since: number): Promise<void> {
  const index = view.cards.indexOf(view.current);
  const before = view.cards.slice(0, index).reverse().find((card) => card.isDecided);
  if (!before || isBusy) return;
  isBusy = true;
  try {
    for (const card of view.cards.filter((one) => !one.isDecided)) {
      past.push({ place: view.place, instance: card.instance, before: card.standing });
      turnTo(card);
      decide(card, before.standing.word, before.standing.comment);
    }
    await goOn(since);
  } finally {
    isBusy = false;
  }
}

async function putOff(): Promise<void> {
  const { place } = view;
  const on = queue.state(place) !== DEFERRED;
  if (view.state !== undefined) return;
  if (!(await defer(assignment!, place, on))) return say(words.offline!, "bad");
  queue.set(place, on ? DEFERRED : OPEN);
  say(on ? words.deferred! : "");
  const next = queue.next(place);
  if (on && next !== undefined) await show(next);
  else showProgress();
}

// --- what the server says

function answered(decision: Decision, answer: Answer): void {
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
  const waiting = (await outbox.waiting()).find((one) => one.decision.key === decision.key);
  if (!waiting) return;
  const named = (word: string): string => (word ? view.current.label(word) : words.not_judged!);
  const place = `${decision.place} ${words.place} ${queue.total}: `;
  const choice = await askWhichHolds(place + named(standing.word), place + named(decision.word));
  if (!choice) return; // asked again when the page is opened again
  const ours = choice === "ours";
  const again = { ...decision, key: crypto.randomUUID(), after: standing.key };
  await outbox.settle(waiting, ours ? again : undefined);
  standAt(decision, ours ? { word: again.word, comment: again.comment, key: again.key } : standing);
}

let isAsking = false;

function changed(waiting: number, problems: number, state: string): void {
  document.documentElement.dataset.waiting = String(waiting + problems);
  if (waiting + problems === 0) document.dispatchEvent(new Event("assess:sent"));
  if (problems) void showRefusals();
  else if (state === "session") {
    say(`${waiting} ${words.waiting}, ${words.session}`, "bad");
    void askToSignIn();
  } else if (state === "away") say(`${navigator.onLine ? "" : `${words.offline}, `}${waiting} ${words.waiting}`, "bad");
  else if (waiting > 1) say(`${waiting} ${words.waiting}`);
  else if (waiting === 0 && state === "idle" && known.size && status.textContent !== words.undone) say(words.saved!, "good");
}

async function askToSignIn(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  await askPassword((password) => signIn(login!, name!, password), words.wrong!);
  isAsking = false;
  outbox.wake();
}

/** What the server would not keep: the assessor tries again, or lets it go. */
async function showRefusals(): Promise<void> {
  const refused = (await outbox.waiting()).filter((one) => one.problem !== undefined && one.problem !== "conflict");
  if (!refused.length || isAsking) return;
  isAsking = true;
  for (const one of refused) {
    const { decision, problem } = one;
    const again = await askWhetherAgain(`${decision.place} ${words.place} ${queue.total}: ${decision.word}`, problem!);
    if (again) await outbox.settle(one, again === "again" ? decision : undefined);
    if (again === "drop") known.delete(decision.instance);
  }
  isAsking = false;
}

function say(text: string, manner = ""): void {
  if (status.textContent !== text) status.textContent = text;
  status.dataset.manner = manner;
}

// --- keys, links and the life of the page

function act(action: string, event: KeyboardEvent): boolean {
  const grade = /^grade-(\d)$/.exec(action)?.[1];
  const word = grade ?? action;
  if (view.current.has(word)) void choose(word, event.timeStamp);
  else if (action === "rest") void sameForTheRest(event.timeStamp);
  else if (action === "undo") void undo();
  else if (action === "defer") void putOff();
  else if (action === "next" || action === "previous") void step(action === "next" ? 1 : -1);
  else if (action === "comment") view.current.comment.focus();
  else if (action === "thread") view.current.element.querySelector<HTMLAnchorElement>("a.thread")?.click();
  else if (action === "guide") find<HTMLDetailsElement>("#guide").querySelector("summary")!.click();
  else if (action === "keys") keys.open();
  else return document.dispatchEvent(new CustomEvent("assess:action", { detail: action, cancelable: true })) === false;
  return true;
}

async function step(by: number): Promise<void> {
  const place = view.place + by;
  if (!isBusy && place >= 1 && place <= queue.total) await show(place);
}

/** Another window or device may have gone on meanwhile. */
async function catchUp(): Promise<void> {
  if (document.visibilityState !== "visible") return;
  const batch = await fetchItems(assignment!, [view.place]);
  if (!batch) return;
  const waits = new Set((await outbox.waiting()).map((one) => one.decision.instance));
  for (const [index, state] of [...batch.states].entries()) {
    if (queue.state(index + 1) === OPEN || queue.state(index + 1) === DEFERRED) queue.set(index + 1, state);
  }
  const fresh = ItemView.from(view.place, batch.items[0]!.html);
  for (const card of fresh.cards.filter((one) => !waits.has(one.instance))) {
    const mine = view.find(card.instance);
    if (mine && mine.standing.key !== card.standing.key) stand(view, mine, card.standing);
  }
  showProgress();
}

const keys = new Keys(act);
document.addEventListener("assess:keys", () => {
  for (const item of [view, ...queue.spare(-99).map(([, one]) => one)]) label(item);
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

/** A conflict that was left open: what stands now is asked for, then which one holds. */
async function settleLater(decision: Decision): Promise<void> {
  const batch = await fetchItems(assignment!, [decision.place]);
  const card = batch && ItemView.from(decision.place, batch.items[0]!.html).find(decision.instance);
  if (card) await settle(decision, card.standing);
}

async function start(): Promise<void> {
  const conflicts: Decision[] = [];
  document.documentElement.dataset.waiting = "0";
  outbox = await startOutbox(user!, { answered, changed, want: wanted, missed: (place) => queue.unask([place]) });
  for (const { decision, problem } of await outbox.waiting()) {
    if (decision.assignment !== assignment) continue;
    if (problem === "conflict") conflicts.push(decision);
    known.set(decision.instance, decision);
  }
  view.typeset = typeset(view.element);
  adopt(view);
  labelFoot();
  if (view.state === undefined || !known.size) await show(view.place);
  else await goOn(performance.now());
  fill(1);
  document.documentElement.dataset.desk = "ready";
  for (const decision of conflicts) void settleLater(decision);
}

void start();
