// Commands that authors define in their formulas. MathJax would keep them for whatever it sets next, so that a post
// looked otherwise after another one. Here they hold as on the site that the posts are from: in what follows in the same
// post or thread, and nowhere else.

const DEFINING =
  /\\(?:(?:re)?new(?:command|environment)|def|let|DeclareMathOperator|DeclarePairedDelimiter(?:X|XPP)?)(?![a-zA-Z])/;
const LABELLED = /\\label(?![a-zA-Z])/;
const REFERRING = /\\(?:eq)?ref(?![a-zA-Z])/;

/** What is read as one: a candidate, the topic, a thread. */
const READ_AS_ONE = ".candidate, .pane.topic, main.thread";

/** Where MathJax keeps what is defined in formulas. */
const TABLES = ["new-Command", "new-Delimiter", "new-Environment", "ams-declare-ops", "mathtools-paired-delims"];

const readAsOne = (span: Element): Element => span.closest(READ_AS_ONE) ?? span.closest(".post") ?? span;

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

/** Whether a formula looks otherwise for what another defines: a label matters only where something refers to it. */
const matters = ({ dataset: defining }: HTMLElement, { dataset: formula }: HTMLElement): boolean =>
  DEFINING.test(defining.tex!) || REFERRING.test(formula.tex!);

/** The formulas whose definitions MathJax knows now. */
let known: HTMLElement[] = [];

/** Has MathJax know what of `defining` stands before a formula and is read with it, and no other definition. */
export async function prepare(api: Commands, span: HTMLElement, defining: HTMLElement[]): Promise<void> {
  const wanted = defining.filter(
    (one) => matters(one, span) && isBefore(one, span) && readAsOne(one) === readAsOne(span),
  );
  const isKnown = wanted.length === known.length && wanted.every((one, index) => one === known[index]);
  if (!isKnown) {
    forget(api);
    for (const one of wanted) await api.tex2svgPromise(one.dataset.tex!, { display: true }).catch(() => undefined); // shown where it stands
  }
  known = defining.includes(span) ? [...wanted, span] : wanted;
}

const isBefore = (one: Node, other: Node): boolean =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

function forget(api: Commands): void {
  for (const name of TABLES) api.startup.input[0].parseOptions.handlers.retrieve(name)?.map.clear();
  api.texReset();
}
