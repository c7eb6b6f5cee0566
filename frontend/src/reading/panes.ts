// The divider between question and documents, by pointer and by keyboard.
import { look, onOtherLook, setLook } from "../look";
import { afterKey, atPointer, LEAST, MIDDLE, MOST } from "./divider";

/** Calls `settled` when the width of the panes has changed, by the divider or the window, and stays. */
export function startPanes(desk: HTMLElement, divider: HTMLElement, settled: () => void): void {
  const move = (percent: number): void => {
    setLook("split", String(percent));
    announce();
  };
  const announce = (): void => divider.setAttribute("aria-valuenow", String(Math.round(Number(look("split")))));
  const drag = ({ clientX }: PointerEvent): void => {
    const { left, width } = desk.getBoundingClientRect();
    move(atPointer(clientX, left, width));
  };
  const drop = (): void => {
    desk.classList.remove("dragging");
    divider.removeEventListener("pointermove", drag);
  };
  divider.ariaValueMin = String(LEAST);
  divider.ariaValueMax = String(MOST);
  divider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    divider.setPointerCapture(event.pointerId);
    divider.focus();
    desk.classList.add("dragging"); // items that are ready need no layout at every step
    divider.addEventListener("pointermove", drag);
    event.preventDefault();
  });
  for (const end of ["pointerup", "pointercancel"]) divider.addEventListener(end, drop);
  divider.addEventListener("dblclick", () => move(MIDDLE));
  divider.addEventListener("keydown", (event) => {
    const position = afterKey(event.key, Number(look("split")));
    if (position === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move(position);
  });
  onOtherLook(announce);
  announce();
  watchWidth(desk.querySelector(".pane")!, settled);
}

const QUIET_MS = 150;

function watchWidth(pane: Element, settled: () => void): void {
  let width = pane.clientWidth;
  let timer = 0;
  new ResizeObserver(() => {
    if (pane.clientWidth === width) return;
    width = pane.clientWidth;
    clearTimeout(timer);
    timer = setTimeout(settled, QUIET_MS);
  }).observe(pane);
}
