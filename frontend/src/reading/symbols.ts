// The signs of a formula, and how to find them elsewhere.

/** A letter or an operator as it was set: `kind` is MathML's (mi, mo); `name` says in which type, too. */
export interface Sign {
  kind: string;
  text: string;
  name: string;
}

const codeOf = (glyph: string): string => glyph.slice(glyph.lastIndexOf("-") + 1);

/** A sign that MathJax drew, by the glyphs of its fonts: "I-1D465" is an italic x, "B-1D431" a bold one. Of an
 * operator the font does not count, which is only its size. */
export function drawn(kind: string, glyphs: readonly string[]): Sign {
  const text = String.fromCodePoint(...glyphs.map((glyph) => parseInt(codeOf(glyph), 16)));
  return { kind, text, name: glyphs.map((glyph) => (kind === "mo" ? codeOf(glyph) : glyph)).join(" ") };
}

/** A sign in the browser's own MathML. */
export function written(kind: string, text: string, variant = ""): Sign {
  return { kind, text, name: `${text} ${variant}` };
}

/** Operators of nearly every formula: brackets, punctuation, dots and arrows of accents, arithmetic. */
const PLAIN = new Set("+-−±∓=<>()[]{}|‖∣∥/\\*∗⋅·×÷∘,.;:!?'′″‴…⋯⋮⋱⏟⏞¯^~→←⟨⟩⌊⌋⌈⌉&% \u00a0");
const isInvisible = (text: string): boolean => /^[\u2061-\u2064\s]*$/u.test(text);

/** A symbol is a letter or a named function (mi), or an operator with a meaning of its own (mo) as ∑ or ∈. Numbers,
 * words in \text and plain operators are none. */
export function isSymbol({ kind, text }: Sign): boolean {
  if (isInvisible(text)) return false;
  return kind === "mi" || (kind === "mo" && !PLAIN.has(text));
}

const keyOf = ({ kind, name }: Sign): string => `${kind} ${name}`;

export function symbolsAmong(signs: readonly Sign[]): Sign[] {
  return [...new Map(signs.filter(isSymbol).map((sign) => [keyOf(sign), sign])).values()];
}

export const isAmong = (sign: Sign, symbols: readonly Sign[]): boolean =>
  symbols.some((symbol) => keyOf(symbol) === keyOf(sign));

/** A selector of the groups in which MathJax draws this sign: its glyphs in this order and no others. */
export function selectorOf({ kind, name }: Sign): string {
  const glyphs = name.split(" ").map((glyph, index, all) => {
    const which = kind === "mo" ? `[data-c="${glyph}"]` : `[*|href$="-TEX-${glyph}"]`;
    return `:has(> use${which}:nth-child(${index + 1})${index === all.length - 1 ? ":last-child" : ""})`;
  });
  return `g[data-mml-node="${kind}"]${glyphs.join("")}`;
}
