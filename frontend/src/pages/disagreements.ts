// The list of disagreements: j and k move to the next and the previous one, as in the desk.
const entries = [...document.querySelectorAll<HTMLElement>("#disagreements > article")];
const steps: Record<string, number> = { j: 1, k: -1 };

/** The entry that holds the focus, or -1. */
const here = (): number => entries.findIndex((entry) => entry.contains(document.activeElement));

document.addEventListener("keydown", (event) => {
  const step = steps[event.key];
  const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea");
  if (step === undefined || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  entries[Math.min(entries.length - 1, Math.max(0, here() + step))]?.focus();
});
