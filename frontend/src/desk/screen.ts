// The item on the screen, and what stands about it in the bar and in the foot.
import { find } from "../find";
import { painted } from "../frame";
import type { ItemView } from "./item";
import { isTyping } from "./keys";
import { bring, drawNext } from "./mounting";
import { assignment, say, words } from "./page";
import { address } from "./server";
import { at, clock, past, queue } from "./state";
import { fill, load } from "./supply";
import { stay } from "./turns";
import { coming, neighbour, query, tellWalk } from "./walk";

const isBeside = matchMedia("(min-width: 50rem)");

const isWriting = (item: ItemView): boolean =>
  isTyping(document.activeElement) && item.element.contains(document.activeElement);

/** Brings a place on the screen; resolves when it is painted, formulas and all. Undefined where it did not come, or came
 * when something else was wanted, or when the assessor had begun to write a comment. */
export async function show(place: number, since = performance.now()): Promise<ItemView | undefined> {
  const here = queue.get(place);
  const mine = stay(here ? undefined : place);
  const item = here ?? (await load(place));
  const left = at.view;
  if (!item || mine !== at.turn || (item !== left && isWriting(left))) return undefined;
  clock.tick();
  left.element.classList.toggle("current", left === item);
  item.element.classList.add("current");
  if (!item.element.classList.contains("ready")) item.element.inert = false; // nothing is gained by doing it later
  if (item !== left) {
    see();
    item.shown = performance.now();
    leaving.add(left);
  }
  at.view = item;
  at.passed = undefined;
  at.view.select(at.view.open ?? at.view.cards[0]!);
  // Where it stands below the question, that is read first, once.
  if (item !== left && !isBeside.matches) item.element.scrollIntoView();
  if (item !== left || isBeside.matches) item.reveal();
  find("#place").textContent = String(place);
  await (at.painted = Promise.all([item.typeset.then(painted), at.safe]));
  if (at.view !== item) return undefined;
  at.seen = item;
  performance.measure("assess.painted", { start: since, detail: { place } });
  document.documentElement.dataset.painted = String(place);
  setTimeout(settleDown); // whatever makes the browser lay the page out anew comes after the paint
  return item;
}

/** Whether the first item, which opens at its question, was never in sight where that stands above it. */
let isUnseen = true;
const above = { rootMargin: `0px 0px -${at.view.current.form.offsetHeight}px` }; // the controls
const firstSight = new IntersectionObserver((all) => all.some((one) => one.isIntersecting) && see(), above);
firstSight.observe(at.view.current.element);

function see(): void {
  isUnseen = false;
  firstSight.disconnect();
}

/** Nothing is judged that nobody can have seen: the first key brings it. Whether it did. */
export function bringUnseen(): boolean {
  if (!isUnseen) return false;
  see();
  if (isBeside.matches) return false;
  bring(at.view.current);
  say(words.unseen!);
  return true;
}

/** So many of the last decisions can be undone without the server. */
const UNDONE = 10;

/** Items that were on the screen since it last came to rest: where keys come quickly, several. */
const leaving = new Set<ItemView>();

function settleDown(): void {
  const { place } = at.view;
  leaving.delete(at.view);
  for (const { element } of leaving) {
    element.scrollTop = 0;
    element.inert = true;
    element.classList.add("ready");
  }
  leaving.clear();
  at.view.element.inert = false;
  const isTaken = isTyping(document.activeElement) || document.querySelector("dialog[open], :popover-open") !== null;
  if (!isTaken) at.view.current.element.focus({ preventScroll: true });
  showPlace();
  for (const [other, spare] of queue.spare(place, [...coming(), ...past.slice(-UNDONE).map((one) => one.place)])) {
    spare.element.remove();
    queue.forget(other);
  }
  drawNext();
  fill();
}

function showPlace(): void {
  const { place } = at.view;
  document.title = document.title.replace(/, \d+\//, `, ${place}/`);
  history.replaceState(null, "", address(assignment, place) + query);
  for (const [rel, by] of [["prev", -1], ["next", 1]] as const) {
    const link = find<HTMLAnchorElement>(`.places [data-rel=${rel}]`);
    const to = neighbour(place, by);
    link.classList.toggle("quiet", to === undefined);
    link.href = to === undefined ? "" : address(assignment, to) + query;
  }
  tellWalk(place);
  showProgress();
}

export function showProgress(): void {
  find("#judged").textContent = String(queue.judged);
  find<HTMLProgressElement>(".desk-bar progress").value = queue.judged;
  const button = find<HTMLButtonElement>("#defer button");
  button.firstChild!.textContent = `${queue.isDeferred(at.view.place) ? words.undefer : words.defer} `;
  button.parentElement!.hidden = at.view.state !== undefined;
  find("#undo").hidden = past.length === 0;
  document.dispatchEvent(new CustomEvent("assess:shown", { detail: at.view.place }));
}
