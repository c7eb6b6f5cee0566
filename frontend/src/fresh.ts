// Parts of a page that count what the server holds are asked for again when something was sent from it. They hold links,
// no fields: nobody types in them.

export async function refreshParts(): Promise<void> {
  const parts = document.querySelectorAll<HTMLElement>("[data-fresh]");
  if (!parts.length) return;
  const response = await fetch(location.href, { redirect: "manual" }).catch(() => undefined);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of parts) {
    const now = page.getElementById(part.id);
    if (now) exchange(part, now);
  }
}

/** What is unfolded stays so, and the focus on the link that it was on. */
function exchange(part: HTMLElement, now: HTMLElement): void {
  const focus = part.contains(document.activeElement) ? document.activeElement!.getAttribute("href") : null;
  for (const fold of now.querySelectorAll("details")) {
    fold.open = part.querySelector<HTMLDetailsElement>(`#${fold.id}`)?.open ?? fold.open;
  }
  part.replaceChildren(...now.childNodes);
  if (focus !== null) part.querySelector<HTMLElement>(`[href="${CSS.escape(focus)}"]`)?.focus();
}
