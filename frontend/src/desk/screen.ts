// The item on the screen, and those that are ready to follow it.
import { painted } from "../frame";
import { typeset } from "../math";
import type { ItemHtml } from "./decision";
import { ItemView, type Card } from "./item";
import { assignment, find, say, words } from "./page";
import { DEFERRED, OPEN } from "./queue";
import { sleep } from "./sender";
import { fetchItems } from "./server";
import { at, clock, known, past, queue, wired } from "./state";

const items = find("#items");

export function mount({ place, html }: ItemHtml): ItemView {
  queue.get(place)?.element.remove();
  const item = ItemView.from(place, html);
  items.append(item.element);
  item.typeset = typeset(item.element);
  // Set and laid out once, it is kept as it is, unseen: bringing it on the screen then costs next to nothing.
  void item.typeset.then(painted).then(() => item.element.classList.add("ready"));
  adopt(item);
  return item;
}

export function adopt(item: ItemView): void {
  for (const card of item.cards) {
    const standing = known.get(card.instance);
    if (standing) card.stand(standing);
    card.form.addEventListener("submit", (event) => {
      event.preventDefault();
      at.view.select(card);
      wired.choose((event.submitter as HTMLButtonElement).value);
    });
    for (const kind of ["focusin", "pointerdown"]) {
      card.element.addEventListener(kind, () => at.view === item && turnTo(card));
    }
    card.comment.addEventListener("keydown", (event) => leaveComment(card, event));
    card.comment.addEventListener("change", () => card.isCommentChanged && wired.changeComment(card));
  }
  label(item);
  document.dispatchEvent(new CustomEvent("assess:mounted", { detail: item.element }));
  queue.put(item.place, item);
  settleState(item);
}

export function settleState(item: ItemView): void {
  const state = item.state ?? (queue.state(item.place) === DEFERRED ? DEFERRED : OPEN);
  queue.set(item.place, state);
}

export function label(item: ItemView): void {
  for (const card of item.cards) {
    for (const button of card.buttons) button.querySelector("kbd")!.textContent = wired.keyOf(button.value);
  }
}

export function turnTo(card: Card): void {
  clock.tick();
  at.view.select(card);
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
export async function show(place: number, since = performance.now()): Promise<void> {
  const item = queue.get(place) ?? (await load(place));
  clock.tick();
  const left = at.view;
  left.element.classList.toggle("current", left === item);
  item.element.classList.add("current");
  if (item !== left) item.shown = performance.now();
  at.view = item;
  at.view.select(at.view.open ?? at.view.cards[0]!);
  find("#place").textContent = String(place);
  await Promise.all([at.view.typeset.then(painted), at.safe]);
  performance.measure("assess.painted", { start: since, detail: { place } });
  document.documentElement.dataset.painted = String(place);
  setTimeout(() => settleDown(left)); // whatever makes the browser lay the page out anew comes after the paint
}

function settleDown(left: ItemView): void {
  const { place } = at.view;
  if (left !== at.view) {
    left.element.scrollTop = 0;
    left.element.classList.add("ready");
  }
  if (document.querySelector("dialog[open]") === null) at.view.current.element.focus({ preventScroll: true });
  showPlace();
  for (const [other, spare] of queue.spare(place)) {
    spare.element.remove();
    queue.forget(other);
  }
  fill();
}

function showPlace(): void {
  const { place } = at.view;
  document.title = document.title.replace(/, \d+\//, `, ${place}/`);
  history.replaceState(null, "", `/judge/${assignment}/${place}/`);
  for (const [rel, to] of [["prev", place - 1], ["next", place + 1]] as const) {
    const link = find<HTMLAnchorElement>(`.places [data-rel=${rel}]`);
    link.classList.toggle("quiet", to < 1 || to > queue.total);
    link.href = to < 1 || to > queue.total ? "" : `/judge/${assignment}/${to}/`;
  }
  showProgress();
}

export function showProgress(): void {
  find("#judged").textContent = String(queue.judged);
  find<HTMLProgressElement>(".desk-bar progress").value = queue.judged;
  const button = find<HTMLButtonElement>("#defer button");
  button.firstChild!.textContent = `${queue.state(at.view.place) === DEFERRED ? words.undefer : words.defer} `;
  button.parentElement!.hidden = at.view.state !== undefined;
  find("#undo").hidden = past.length === 0;
  document.dispatchEvent(new CustomEvent("assess:shown", { detail: at.view.place }));
}

/** Gets an item that was not ready, as soon as the server can be reached. */
export async function load(place: number): Promise<ItemView> {
  say(words.loading!);
  for (let pause = 500; ; pause = Math.min(2 * pause, 10_000)) {
    const batch = await fetchItems(assignment, [place]);
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
export function fill(least = 4): void {
  const places = queue.missing(at.view.place);
  if (places.length < least) return;
  queue.ask(places);
  void fetchItems(assignment, places).then((batch) => {
    if (batch) batch.items.filter(({ place }) => !queue.get(place)).forEach(mount);
    else queue.unask(places);
  });
}

/** The place whose item the next save shall bring. */
export function wanted(): number | undefined {
  const place = queue.missing(at.view.place)[0];
  if (place !== undefined) queue.ask([place]);
  return place;
}
