// A small box over the page, near its anchor.

const EDGE = 8;

/** Opens a popover below its anchor, or above where there is more room, within the window. */
export function openNear(box: HTMLElement, anchor: Element): void {
  box.showPopover();
  const { left, top, bottom } = anchor.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const below = bottom + EDGE / 2;
  const isBelow = below + height <= innerHeight || top < innerHeight - bottom;
  const y = isBelow ? below : top - EDGE / 2 - height;
  box.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - EDGE - width))}px`;
  box.style.top = `${Math.max(EDGE, Math.min(y, innerHeight - EDGE - height))}px`;
}

/** Keys pressed in a box are for the box: none of them judges. */
export function keepKeys(box: HTMLElement): void {
  box.addEventListener("keydown", (event) => event.stopPropagation());
}
