// Commands that authors define in their formulas. MathJax would keep them for all that it typesets next, and a post would
// look different after another. Here they hold as on the site of the posts: in what follows in the same post or thread.

const DEFINING =
  /\\(?:(?:re)?new(?:command|environment)|def|let|DeclareMathOperator|DeclarePairedDelimiter(?:X|XPP)?)(?![a-zA-Z])/;
const LABELLED = /\\label(?![a-zA-Z])/;
const REFERRING = /\\(?:eq)?ref(?![a-zA-Z])/;

/** Where definitions hold: a candidate, the topic, a thread. */
const SCOPE = ".candidate, .pane.topic, main.thread";

/** Where MathJax keeps what is defined in formulas. */
const TABLES = ["new-Command", "new-Delimiter", "new-Environment", "ams-declare-ops", "mathtools-paired-delims"];

const scopeOf = (span: Element): Element => span.closest(SCOPE) ?? span.closest(".post") ?? span;

/** MathJax, as far as its commands go. */
export interface Commands {
  startup: { input: [{ parseOptions: { handlers: { retrieve(name: string): { map: Map<string, unknown> } | null } } }, ...unknown[]] };
  texReset(): void;
  tex2svgPromise(tex: string, options: { display: boolean }): Promise<HTMLElement>;
}

/** The formulas below `root` that define or label something, in their order. */
export const definitions = (root: ParentNode): HTMLElement[] =>
  [...root.querySelectorAll<HTMLElement>(".math-container[data-tex]")].filter(
    ({ dataset }) => DEFINING.test(dataset.tex!) || LABELLED.test(dataset.tex!),
  );

/** Whether a formula depends on what another defines: a label matters only if it is referred to. */
const matters = ({ dataset: defining }: HTMLElement, { dataset: formula }: HTMLElement): boolean =>
  DEFINING.test(defining.tex!) || REFERRING.test(formula.tex!);

/** The formulas whose definitions MathJax knows now. */
let known: HTMLElement[] = [];

/** Gives MathJax the definitions of `defining` that hold in a formula, and no others. */
export async function prepare(api: Commands, span: HTMLElement, defining: HTMLElement[]): Promise<void> {
  const wanted = defining.filter(
    (formula) => matters(formula, span) && isBefore(formula, span) && scopeOf(formula) === scopeOf(span),
  );
  const isKnown = wanted.length === known.length && wanted.every((formula, index) => formula === known[index]);
  if (!isKnown) {
    for (const name of TABLES) api.startup.input[0].parseOptions.handlers.retrieve(name)?.map.clear();
    api.texReset();
    for (const { dataset } of wanted) await api.tex2svgPromise(dataset.tex!, { display: true }).catch(() => undefined); // its own place shows it
  }
  known = defining.includes(span) ? [...wanted, span] : wanted;
}

const isBefore = (node: Node, other: Node): boolean =>
  (node.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
