// An item that has come is put ready, unseen and out of reach, in the place of the one on the screen.
import { find } from "../find";
import { painted } from "../frame";
import { typeset } from "../math";
import type { ItemHtml } from "./decision";
import { ItemView, type Card } from "./item";
import { at, clock, known, queue, wired } from "./state";
import { coming, following } from "./walk";

const items = find("#items");

/** Unless it is here already. */
export const mountNew = (item: ItemHtml): ItemView => queue.get(item.place) ?? mount(item);

/** After what is wanted now. */
export const later = (item: ItemHtml): void => void at.painted.then(() => mountNew(item));

/** In the place of what is here. */
export function mount({ place, html }: ItemHtml): ItemView {
  queue.get(place)?.element.remove();
  const item = ItemView.from(place, html);
  item.element.inert = true;
  items.append(item.element);
  item.typeset = typeset(item.element);
  // Set and laid out once, it is kept as it is, unseen: bringing it on the screen then costs next to nothing.
  void item.typeset.then(painted).then(() => {
    item.element.classList.add("ready");
    drawNext();
  });
  adopt(item);
  return item;
}

/** The one that will be wanted next is drawn too, all but transparent: a key only lets it be seen. */
export function drawNext(): void {
  const [next] = [...coming(), ...following(at.view.place)];
  for (const { place, element } of queue.all) element.classList.toggle("next", place === next);
}

export function adopt(item: ItemView): void {
  for (const card of item.cards) {
    const standing = known.get(card.instance);
    if (standing) card.stand(standing);
    card.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (at.view !== item) return;
      at.view.select(card);
      wired.choose((event.submitter as HTMLButtonElement).value);
    });
    for (const kind of ["focusin", "pointerdown"]) {
      card.element.addEventListener(kind, () => at.view === item && turnTo(card));
    }
    card.comment.addEventListener("keydown", (event) => leaveComment(card, event));
    card.comment.addEventListener("change", () => card.isCommentChanged && wired.changeComment(item, card));
  }
  if (at.isClosed) item.disable();
  label(item);
  document.dispatchEvent(new CustomEvent("assess:mounted", { detail: item.element }));
  queue.put(item.place, item);
  queue.set(item.place, item.state);
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

/** The turn of a candidate of the item on the screen, and into sight. */
export function bring(card: Card): void {
  turnTo(card);
  card.element.focus({ preventScroll: true });
  card.element.scrollIntoView({ block: "start" });
  at.view.reveal();
}

function leaveComment(card: Card, event: KeyboardEvent): void {
  const isDone = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
  if (!isDone || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  card.comment.blur();
  card.element.focus({ preventScroll: true });
}
