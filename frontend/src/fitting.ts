// Formulas that are wider than the room for them.

/** A formula may shrink to this share of its size. */
const SMALLEST = 0.8;

/** A formula that does not fit shrinks by up to a fifth. If that is not enough, an inline one gets its own line, which
 * scrolls, together with its punctuation; a marked formula without it, because its shadow is drawn on the mark. What
 * scrolls gets the focus, so that keys scroll it, too. */
export function fit(spans: HTMLElement[]): void {
  const tooWide = shrink(spans, 1);
  // Browsers round the height of x, by which formulas are measured, so that some shrink by less than they should.
  const stillTooWide = shrink(tooWide, 0.96).filter((span) => !isBlock(span));
  for (const span of stillTooWide) if (shareOfRoom(span) > 1) lineOf(span).classList.add("wide");
  for (const box of tooWide.map(lineOf).filter(scrolls)) box.tabIndex = 0;
}

export const scrolls = (box: HTMLElement): boolean => box.scrollWidth > box.clientWidth;

/** Shrinks those that are too wide, by a factor more than needed, and returns them. */
function shrink(spans: HTMLElement[], more: number): HTMLElement[] {
  const shares = new Map(spans.map((span) => [span, shareOfRoom(span)])); // all are measured before the first is changed
  const tooWide = spans.filter((span) => shares.get(span)! > 1);
  for (const span of tooWide) {
    const size = (parseFloat(span.style.fontSize) || 100) / 100;
    span.style.fontSize = `${100 * Math.max(SMALLEST, (0.99 * more * size) / shares.get(span)!)}%`;
  }
  return tooWide;
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
