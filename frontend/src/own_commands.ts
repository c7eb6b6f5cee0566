// Commands that authors define in their formulas. MathJax would keep them for all that it typesets next, and a post would
// look different after another. Here they hold as on the site of the posts: in what follows in the same post or thread.

const DEFINING =
  /\\(?:(?:re)?new(?:command|environment)|def|let|DeclareMathOperator|DeclarePairedDelimiter(?:X|XPP)?)(?![a-zA-Z])/;
const LABELLED = /\\label(?![a-zA-Z])/;
const REFERRING = /\\(?:eq)?ref(?![a-zA-Z])/;

/** Where definitions hold: a document, the topic, a thread. */
const SCOPE = ".shown-post, .pane.topic, main.thread";

/** Where MathJax keeps what is defined in formulas. */
const TABLES = ["new-Command", "new-Delimiter", "new-Environment", "ams-declare-ops", "mathtools-paired-delims"];

const scopeOf = (span: Element): Element => span.closest(SCOPE) ?? span.closest(".post") ?? span;

/** MathJax, as far as its commands go. */
export interface Commands {
  startup: { input: [{ parseOptions: { handlers: { retrieve(name: string): { map: Map<string, unknown> } | null } } }, ...unknown[]] };
  texReset(): void;
  tex2svgPromise(tex: string, options: { display: boolean }): Promise<HTMLElement>;
}

/** The formulas of a scope that define or label something, in their order. */
const definitions = (scope: Element): HTMLElement[] =>
  [scope as HTMLElement, ...scope.querySelectorAll<HTMLElement>(".math-container[data-tex]")].filter(
    ({ dataset }) => DEFINING.test(dataset.tex ?? "") || LABELLED.test(dataset.tex ?? ""),
  );

/** Looks up the definitions that may matter for a formula, once for each scope: for use while the page does not change. */
export function definitionsByScope(): (span: HTMLElement) => HTMLElement[] {
  const known = new Map<Element, HTMLElement[]>();
  return (span) => {
    const scope = scopeOf(span);
    if (!known.has(scope)) known.set(scope, definitions(scope));
    return known.get(scope)!;
  };
}

/** Whether a formula depends on what another defines: a label matters only if it is referred to. */
const matters = ({ dataset: defining }: HTMLElement, { dataset: formula }: HTMLElement): boolean =>
  DEFINING.test(defining.tex!) || REFERRING.test(formula.tex!);

/** The formulas whose definitions MathJax knows now. */
let known: HTMLElement[] = [];

/** Gives MathJax the definitions of `defining`, those of its scope, that hold in a formula, and no others. */
export async function prepare(api: Commands, span: HTMLElement, defining: HTMLElement[]): Promise<void> {
  const wanted = defining.filter((formula) => matters(formula, span) && isBefore(formula, span));
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
