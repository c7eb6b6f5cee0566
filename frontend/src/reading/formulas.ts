// A formula, by click or by keyboard: its LaTeX to copy, and its symbols elsewhere. Tab stops at one formula in each
// part of the page, and at those that scroll; the arrows up and down lead to the others.
import { find } from "../find";
import { scrolls } from "../fitting";
import { symbolsOf, type Lights } from "./lights";
import { keepKeys, openNear } from "./popover";

const FORMULA = ".math-container[data-tex]";
/** Only labs of mathematics have it, and what is in it. */
const box = document.querySelector<HTMLElement>("#formula");
const source = find("#formula code");
const copied = find("#formula [role=status]");
const lighter = find<HTMLButtonElement>("#formula [data-light]");
let chosen: HTMLElement;

const isUnfolded = (formula: Element): boolean => !formula.closest("details:not([open])");

export function startFormulas(desk: HTMLElement, lights: Lights): void {
  if (!box) return;
  keepKeys(box);
  desk.addEventListener("click", ({ target }) => {
    const formula = (target as Element).closest<HTMLElement>(FORMULA);
    if (formula && !formula.closest("a") && getSelection()?.isCollapsed !== false) open(formula);
  });
  desk.addEventListener("keydown", press);
  box.querySelector("[data-copy]")!.addEventListener("click", async () => {
    await copySource();
    copied.textContent = copied.dataset.text!;
  });
  lighter.addEventListener("click", () => {
    box.hidePopover();
    lights.show(symbolsOf(chosen));
  });
}

/** Makes the formulas of a part of the page reachable by keyboard. */
export function makeReachable(part: Element): void {
  const all = [...part.querySelectorAll<HTMLElement>(FORMULA)];
  const first = all.find(isUnfolded);
  for (const formula of all) {
    if (formula === first) formula.tabIndex = 0;
    else if (formula.tabIndex < 0) formula.tabIndex = -1; // not if it scrolls
    formula.role = "math";
    const name = formula.matches(".highlight") && box?.dataset.judged ? `${box.dataset.judged}: ` : "";
    formula.ariaLabel = name + formula.dataset.tex!;
  }
}

function open(formula: HTMLElement): void {
  chosen = formula;
  source.textContent = formula.dataset.tex!;
  copied.textContent = "";
  lighter.disabled = symbolsOf(formula).length === 0;
  openNear(box!, formula);
}

function press(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (!target.matches(FORMULA) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Enter") open(target);
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") step(target, event.key === "ArrowDown" ? 1 : -1);
  else return;
  event.preventDefault();
}

function step(from: HTMLElement, by: number): void {
  const all = [...from.closest(".item, .pane.topic")!.querySelectorAll<HTMLElement>(FORMULA)].filter(isUnfolded);
  const to = all[all.indexOf(from) + by];
  if (!to) return;
  if (!scrolls(from)) from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

/** Over plain http pages have no clipboard: there the old command copies. */
async function copySource(): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(source.textContent!);
  getSelection()!.selectAllChildren(source);
  document.execCommand("copy");
}
