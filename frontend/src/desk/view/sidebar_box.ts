// A box in the sidebar that a key opens, and that leads back to where the assessor was reading.
import { find } from "../../find";

/** How far something is from the top of the window, and how far the question is scrolled. */
interface Position {
  mark: HTMLElement;
  top: number;
  pane: number;
}

const pane = find("#topic");
const topOf = (element: HTMLElement): number => element.getBoundingClientRect().top;

/** Of the item on the screen: what belongs to the current document, if it has several. */
function current(part: string): HTMLElement {
  const item = document.querySelector(".item.current") ?? find(".item");
  return item.querySelector<HTMLElement>(`${part}.current`) ?? item.querySelector<HTMLElement>(part)!;
}

export const currentPost = (): HTMLElement => current(".shown-post");
export const currentControls = (): HTMLElement => current(".controls");

export class SidebarBox {
  readonly summary: HTMLElement;
  /** Where the assessor was reading when a key opened the box. */
  private from: Position | undefined;

  /** `field`: what gets the focus when it opens, if not its title. */
  constructor(
    private readonly box: HTMLDetailsElement,
    private readonly field?: HTMLElement,
  ) {
    this.summary = box.querySelector("summary")!;
    box.addEventListener("toggle", () => {
      if (!box.open) this.forget();
    });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || !box.open) return;
      event.preventDefault();
      event.stopPropagation();
      this.leave();
    });
  }

  /** Another item is on the screen: there is no way back to the one before. */
  forget(): void {
    this.from = undefined;
  }

  /** Opens it, and returns whether it had to be opened or moved. */
  bring(): boolean {
    const [here, wasOpen, page] = [this.here(), this.box.open, scrollY];
    this.box.open = true;
    this.show();
    const hasMoved = !wasOpen || page !== scrollY || here.pane !== pane.scrollTop;
    if (hasMoved) this.from = here;
    return hasMoved;
  }

  /** Shows as much of it as fits, and its title at least. */
  show(): void {
    (this.field ?? this.summary).focus({ preventScroll: true });
    this.box.scrollIntoView({ block: "nearest" });
    this.summary.scrollIntoView({ block: "nearest" });
  }

  /** Opened by its key, and still in sight. */
  get isRead(): boolean {
    const { top, bottom, height } = this.box.getBoundingClientRect();
    const seen = Math.min(bottom, innerHeight) - Math.max(top, topOf(pane), 0);
    return this.from !== undefined && this.box.open && seen > Math.min(height, innerHeight) / 3;
  }

  /** Closes it, and goes back to where it was opened from, or to its title. */
  leave(): void {
    const { from } = this;
    this.box.open = false;
    if (!from) return this.summary.focus();
    pane.scrollTop = from.pane;
    scrollBy(0, topOf(from.mark) - from.top);
    currentPost().focus({ preventScroll: true });
  }

  /** A box below the top of the window stays where it is; else the item does. */
  private here(): Position {
    const mark = topOf(this.box) > 0 ? this.box : currentPost();
    return { mark, top: topOf(mark), pane: pane.scrollTop };
  }
}
