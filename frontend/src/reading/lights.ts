// Lights up the symbols of a formula everywhere. A style sheet selects what MathJax draws, so that later items need
// nothing; in the browser's own MathML the letters are marked separately.
import { canMark, registered } from "./marks";
import { drawn, isAmong, selectorOf, symbolsAmong, written, type Sign } from "./symbols";

const XLINK = "http://www.w3.org/1999/xlink";

function drawnSigns(root: Element): Sign[] {
  return [...root.querySelectorAll<SVGGElement>("g[data-mml-node=mi], g[data-mml-node=mo]")].flatMap((group) => {
    const glyphs = [...group.children].map((use) => use.getAttributeNS(XLINK, "href")?.replace(/^.*-TEX-/u, ""));
    return glyphs.length && glyphs.every((glyph) => glyph !== undefined) ? drawn(group.dataset.mmlNode!, glyphs) : [];
  });
}

const writtenSign = (element: Element): Sign =>
  written(element.localName, element.textContent ?? "", element.getAttribute("mathvariant") ?? "");

const WRITTEN = "math :is(mi, mo)";
const writtenIn = (root: Element): Element[] =>
  [...root.querySelectorAll(WRITTEN)].filter((element) => !element.closest("mjx-assistive-mml"));

export const symbolsOf = (formula: Element): Sign[] =>
  symbolsAmong([...drawnSigns(formula), ...writtenIn(formula).map(writtenSign)]);

export class Lights {
  private symbols: Sign[] = [];
  private readonly sheet = new CSSStyleSheet();
  private readonly letters = canMark ? registered("lit") : undefined;

  /** `changed`: whether anything is lit now. */
  constructor(
    private readonly desk: Element,
    private readonly changed: (isLit: boolean) => void,
  ) {
    document.adoptedStyleSheets.push(this.sheet);
  }

  get isLit(): boolean {
    return this.symbols.length > 0;
  }

  show(symbols: Sign[]): void {
    this.symbols = symbols;
    const rule = "{ fill: var(--lit); stroke: var(--lit); stroke-width: 45px; }";
    this.sheet.replaceSync(symbols.map((symbol) => `.desk ${selectorOf(symbol)} ${rule}`).join("\n"));
    this.letters?.clear();
    this.light(this.desk);
    this.changed(this.isLit);
  }

  /** Lights the MathML below an element that came later. */
  light(root: Element): void {
    if (!this.isLit) return;
    for (const element of writtenIn(root)) {
      if (!isAmong(writtenSign(element), this.symbols)) continue;
      const range = new Range();
      range.selectNodeContents(element);
      this.letters?.add(range);
    }
  }
}
