// A box beside the item, which a key brings into sight, and which leads back to where the assessor was reading.
import { find } from "../find";

/** Where something on the page stands, from the top of the window, and how far the question is scrolled. */
interface Place {
  mark: HTMLElement;
  top: number;
  pane: number;
}

const pane = find("#topic");
const topOf = (element: HTMLElement): number => element.getBoundingClientRect().top;

/** The candidate that is looked at: the marked one of several, else the only one. */
export function lookedAt(): HTMLElement {
  const item = document.querySelector(".item.current") ?? find(".item");
  return item.querySelector<HTMLElement>(".candidate.current") ?? item.querySelector<HTMLElement>(".candidate")!;
}

export class BesideBox {
  readonly summary: HTMLElement;
  /** Where the assessor was reading when a key brought the box. */
  private from: Place | undefined;

  /** `field`: what has the focus when it is brought, if not its title. */
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

  /** Another item is on the screen: nothing leads back to the one before. */
  forget(): void {
    this.from = undefined;
  }

  /** At its key. Whether it had to be opened or moved. */
  bring(): boolean {
    const [here, wasOpen, page] = [this.here(), this.box.open, scrollY];
    this.box.open = true;
    this.show();
    const hasMoved = !wasOpen || page !== scrollY || here.pane !== pane.scrollTop;
    if (hasMoved) this.from = here;
    return hasMoved;
  }

  /** As much of it as fits, and its title at least. */
  show(): void {
    (this.field ?? this.summary).focus({ preventScroll: true });
    this.box.scrollIntoView({ block: "nearest" });
    this.summary.scrollIntoView({ block: "nearest" });
  }

  /** Brought by its key, and still there to be read. */
  get isRead(): boolean {
    const { top, bottom, height } = this.box.getBoundingClientRect();
    const seen = Math.min(bottom, innerHeight) - Math.max(top, topOf(pane), 0);
    return this.from !== undefined && this.box.open && seen > Math.min(height, innerHeight) / 3;
  }

  /** Closes it; back to where it was brought from, or to its title. */
  leave(): void {
    const { from } = this;
    this.box.open = false;
    if (!from) return this.summary.focus();
    pane.scrollTop = from.pane;
    scrollBy(0, topOf(from.mark) - from.top);
    lookedAt().focus({ preventScroll: true });
  }

  /** What stands above the box is read again where it stood, and what stands below it, the item. */
  private here(): Place {
    const mark = topOf(this.box) > 0 ? this.box : lookedAt();
    return { mark, top: topOf(mark), pane: pane.scrollTop };
  }
}
