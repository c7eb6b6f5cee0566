// Reports formulas that cannot be typeset to the organizers, each once while the page is open; of those with unknown
// commands the first of a document, which may have hundreds.
import { ask } from "../desk/sync/server";

/** `address`: where the problems of this assignment are reported. */
export function reportProblems(address: string): void {
  const reported = new Set<string>();
  const report = async (formula: HTMLElement): Promise<void> => {
    if (formula.closest("dialog")) return; // a copy
    const instance = formula.closest("[data-candidate]")?.querySelector<HTMLInputElement>("[name=instance]")?.value ?? "";
    const tex = formula.dataset.tex ?? "";
    const name = `${instance} ${formula.matches(".math-error") ? tex : formula.title}`;
    if (reported.has(name)) return;
    reported.add(name);
    const body = new URLSearchParams({ instance, tex, message: formula.title });
    await ask(address, { method: "POST", body }).catch(() => reported.delete(name));
  };
  document.addEventListener("assess:math-problem", (event) => void report(event.target as HTMLElement));
  for (const formula of document.querySelectorAll<HTMLElement>(".math-problem")) void report(formula);
}
