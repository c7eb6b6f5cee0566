// Formulas that are wider than the room for them.

/** A formula may shrink to this share of its size. */
const SMALLEST = 0.8;

/** A formula that does not fit shrinks by up to a fifth. If that is not enough, an inline one gets its own line, which
 * scrolls, together with its punctuation; a marked formula without it, because its shadow is drawn on the mark. */
export function fit(spans: HTMLElement[]): void {
  const shares = spans.map(shareOfRoom); // all are measured before the first is changed
  for (const [index, span] of spans.entries()) {
    const share = shares[index]!;
    if (share <= 1) continue;
    span.style.fontSize = `${100 * Math.max(SMALLEST, 0.99 / share)}%`;
    if (share * SMALLEST > 1 && !isBlock(span)) lineOf(span).classList.add("wide");
  }
}

const isBlock = (span: HTMLElement): boolean => span.dataset.display === "block";

const lineOf = (span: HTMLElement): HTMLElement =>
  (span.matches(".highlight") ? null : span.closest<HTMLElement>(".closed")) ?? span;

/** The width of a formula as a share of the room for it; 0 without room. */
function shareOfRoom(span: HTMLElement): number {
  if (isBlock(span)) return span.clientWidth && span.scrollWidth / span.clientWidth;
  let box = span.parentElement ?? span; // it may have been removed since
  while (getComputedStyle(box).display.startsWith("inline")) box = box.parentElement!;
  const { paddingLeft, paddingRight } = getComputedStyle(box);
  const room = box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const line = span.closest(".closed") ?? span; // with its punctuation
  return room > 0 ? line.getBoundingClientRect().width / room : 0;
}

/** Fits the formulas again after the width or the size of the text has changed. */
export function refit(root: ParentNode): void {
  const spans = [...root.querySelectorAll<HTMLElement>(".math-container")];
  for (const span of spans) {
    lineOf(span).classList.remove("wide");
    span.style.fontSize = "";
  }
  fit(spans);
}
