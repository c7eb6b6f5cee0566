// Fetches parts of a page again when the server holds more than they show. They have links and no fields.

import { ask } from "./desk/sync/server";
import { typeset } from "./math";

export async function refreshParts(): Promise<void> {
  const parts = document.querySelectorAll<HTMLElement>("[data-fresh]");
  if (!parts.length) return;
  const response = await ask(location.href).catch(() => undefined);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of parts) {
    const now = page.getElementById(part.id);
    if (now) exchange(part, now);
  }
}

/** What is unfolded stays so, what does not change is not replaced, with its formulas set, and the focus stays on its
 * link. */
function exchange(part: HTMLElement, now: HTMLElement): void {
  const focus = part.contains(document.activeElement) ? document.activeElement!.getAttribute("href") : null;
  const alike = (): HTMLElement[] => [...part.querySelectorAll<HTMLElement>(`[href="${CSS.escape(focus!)}"]`)];
  const number = focus === null ? -1 : alike().indexOf(document.activeElement as HTMLElement);
  for (const fold of now.querySelectorAll("details")) {
    fold.open = part.querySelector<HTMLDetailsElement>(`#${fold.id}`)?.open ?? fold.open;
  }
  for (const still of now.querySelectorAll("[data-still]")) {
    still.replaceWith(document.getElementById(still.id) ?? still);
  }
  part.replaceChildren(...now.childNodes);
  if (focus !== null) alike()[number]?.focus({ preventScroll: true });
  void typeset(part);
}
