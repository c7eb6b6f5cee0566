// Tells the organizers which formulas cannot be set, each once as long as the page lives; of those with unknown commands
// the first of a document, for it may have hundreds.

import { ask } from "../desk/server";

/** `address`: where the server hears of them, of this assignment. */
export function reportProblems(address: string): void {
  const told = new Set<string>();
  const report = async (formula: HTMLElement): Promise<void> => {
    if (formula.closest("dialog")) return; // a copy
    const instance = formula.closest("[data-candidate]")?.querySelector<HTMLInputElement>("[name=instance]")?.value ?? "";
    const tex = formula.dataset.tex ?? "";
    const name = `${instance} ${formula.matches(".math-error") ? tex : formula.title}`;
    if (told.has(name)) return;
    told.add(name);
    const body = new URLSearchParams({ instance, tex, message: formula.title });
    await ask(address, { method: "POST", body }).catch(() => told.delete(name));
  };
  document.addEventListener("assess:math-problem", (event) => void report(event.target as HTMLElement));
  for (const formula of document.querySelectorAll<HTMLElement>(".math-problem")) void report(formula);
}
