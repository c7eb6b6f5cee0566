// A formula, by click or by keyboard: its LaTeX to copy, and its symbols elsewhere. Tab stops at one formula in each
// part of the page; the arrows up and down lead to the others.
import { symbolsOf, type Lights } from "./lights";
import { keepKeys, openNear } from "./popover";

const FORMULA = ".math-container[data-tex]";

export class Formulas {
  private readonly source: HTMLElement;
  private readonly copied: HTMLElement;
  private readonly lighter: HTMLButtonElement;
  private chosen: HTMLElement | undefined;

  constructor(
    desk: HTMLElement,
    private readonly box: HTMLElement,
    lights: Lights,
  ) {
    this.source = box.querySelector("code")!;
    this.copied = box.querySelector("[role=status]")!;
    this.lighter = box.querySelector("[data-light]")!;
    keepKeys(box);
    desk.addEventListener("click", (event) => {
      const formula = formulaAt(event.target);
      if (formula && getSelection()?.isCollapsed !== false) this.open(formula);
    });
    desk.addEventListener("keydown", (event) => this.press(event));
    box.querySelector("[data-copy]")!.addEventListener("click", async () => {
      await copyText(this.source);
      this.copied.textContent = this.copied.dataset.text!;
    });
    this.lighter.addEventListener("click", () => {
      box.hidePopover();
      lights.show(symbolsOf(this.chosen!));
    });
  }

  /** Makes the formulas of a part of the page reachable by keyboard. */
  prepare(part: Element): void {
    part.querySelectorAll<HTMLElement>(FORMULA).forEach((formula, index) => (formula.tabIndex = index ? -1 : 0));
  }

  private open(formula: HTMLElement): void {
    this.chosen = formula;
    this.source.textContent = formula.dataset.tex!;
    this.copied.textContent = "";
    this.lighter.disabled = symbolsOf(formula).length === 0;
    openNear(this.box, formula);
  }

  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!target.matches(FORMULA) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") this.open(target);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.step(target, event.key === "ArrowDown" ? 1 : -1);
    else return;
    event.preventDefault();
  }

  private step(from: HTMLElement, by: number): void {
    const all = [...from.closest(".item, .pane.topic")!.querySelectorAll<HTMLElement>(FORMULA)];
    const to = all[all.indexOf(from) + by];
    if (!to) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}

/** The formula that was meant, unless it is part of a link. */
function formulaAt(target: EventTarget | null): HTMLElement | undefined {
  const formula = target instanceof Element ? target.closest<HTMLElement>(FORMULA) : null;
  return formula && !formula.closest("a") ? formula : undefined;
}

/** Over plain http pages have no clipboard: there the old command copies. */
async function copyText(source: HTMLElement): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(source.textContent ?? "");
  getSelection()!.selectAllChildren(source);
  document.execCommand("copy");
}
