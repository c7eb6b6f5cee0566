// Formulas: the server sends MathML with its TeX; MathJax, which we serve, typesets them better.

import { breathe } from "./frame";
import { definitions, prepare, type Commands } from "./own_commands";

type MathNode = { attributes?: { getAllAttributes(): Record<string, unknown> } };
type Filter = (formula: { data: { root: { walkTree(visit: (node: MathNode) => void): void } } }) => void;

type MathJaxApi = Commands & {
  startup: { promise: Promise<void>; document: { inputJax: { postFilters: { add(filter: Filter): void } }[] } };
  svgStylesheet(): HTMLElement;
};

declare global {
  interface Window {
    MathJax?: unknown;
  }
}

/** Commands that the posts use and MathJax lacks. */
const MACROS = {
  bm: ["\\boldsymbol{#1}", 1],
  mathds: ["\\mathbb{#1}", 1],
  mathbbm: ["\\mathbb{#1}", 1],
  llbracket: "\\mathopen{[\\![}",
  rrbracket: "\\mathclose{]\\!]}",
  overarc: ["\\overset{\\frown}{#1}", 1],
  wideparen: ["\\overset{\\frown}{#1}", 1],
  oiint: "\\mathop{\\unicode{x222F}}\\nolimits",
};

/** The TeX is other people's: nothing of it may become a link, a style, a class or an id. */
const SAFE = { allow: { URLs: "none", classes: "none", cssIDs: "none", styles: "none" } };

function configuration(base: string): unknown {
  return {
    startup: { typeset: false },
    loader: {
      paths: { mathjax: base },
      source: { "[tex]/AMScd": "[tex]/amscd" },
      load: ["ui/safe", "[tex]/mathtools"],
    },
    tex: {
      packages: { "[+]": ["mathtools"] },
      macros: MACROS,
      maxMacros: 1000, // gives up an endless definition in a moment, not in a second
      ignoreDuplicateLabels: true, // two posts of a thread may both have an equation 1
      formatError: (_jax: unknown, error: Error) => {
        throw error;
      },
    },
    svg: { fontCache: "local" },
    options: { enableMenu: false, enableAssistiveMml: true, safeOptions: SAFE },
  };
}

let loading: Promise<MathJaxApi> | undefined;

async function load(): Promise<MathJaxApi> {
  const base = new URL(document.documentElement.dataset.mathjax!, location.href).href.replace(/\/$/, "");
  window.MathJax = configuration(base);
  await new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${base}/tex-mml-svg.js`;
    script.onload = resolve;
    script.onerror = () => {
      script.remove();
      reject(new Error(`${script.src} did not load`));
    };
    document.head.append(script);
  });
  const api = window.MathJax as MathJaxApi;
  await api.startup.promise;
  for (const input of api.startup.document.inputJax) input.postFilters.add(refuseHuge);
  document.head.append(api.svgStylesheet());
  return api;
}

/** The size of units in em; a formula with a length of more than MOST_EM would push all else off the page. */
const EM: Record<string, number> = { em: 1, ex: 0.43, px: 0.063, pt: 0.1, pc: 1.2, mm: 0.285, cm: 2.85, in: 7.23, mu: 0.056 };
const LENGTH = new RegExp(`(\\d+\\.?\\d*|\\.\\d+)\\s*(${Object.keys(EM).join("|")})\\b`, "g");
const MOST_EM = 100;

const refuseHuge: Filter = ({ data }) => {
  data.root.walkTree((node) => {
    for (const value of Object.values(node.attributes?.getAllAttributes() ?? {})) {
      for (const [, number, unit] of String(value).matchAll(LENGTH)) {
        if (Number(number) * EM[unit!]! > MOST_EM) throw new Error(`A length of ${number}${unit} is too large to show`);
      }
    }
  });
};

async function typesetFormula(api: MathJaxApi, span: HTMLElement, defining: HTMLElement[]): Promise<void> {
  const tex = span.dataset.tex ?? "";
  try {
    await prepare(api, span, defining);
    span.replaceChildren(await api.tex2svgPromise(tex, { display: span.dataset.display === "block" }));
    span.classList.add("typeset");
    keepLegible(span);
    if (span.querySelector(UNKNOWN)) reportProblem(span, document.documentElement.dataset.unknown ?? "");
  } catch (error) {
    showSource(span, tex, (error as Partial<Error>).message ?? String(error)); // MathJax throws objects of its own
  }
}

/** A command that MathJax does not know appears in the formula as it is written, in red. */
const UNKNOWN = "[data-mml-node=mtext][fill=red]";

/** Gives the style sheet the colours that an author chose for black on white; it adapts them to the background. */
function keepLegible(span: HTMLElement): void {
  for (const part of span.querySelectorAll<SVGElement>("svg [fill]:not([fill=currentColor], [fill=none])")) {
    part.style.setProperty("--chosen", part.getAttribute("fill"));
  }
}

/** Shows the source of a formula that cannot be typeset. */
function showSource(span: HTMLElement, tex: string, problem: string): void {
  const label = document.createElement("small");
  label.textContent = document.documentElement.dataset.unset ?? "";
  const source = document.createElement("code");
  source.textContent = tex;
  span.replaceChildren(label, source);
  span.classList.add("math-error");
  reportProblem(span, problem);
}

/** Shows the reader what is wrong with a formula, and lets the page know. */
function reportProblem(span: HTMLElement, problem: string): void {
  span.title = problem;
  span.classList.add("math-problem");
  span.dispatchEvent(new Event("assess:math-problem", { bubbles: true }));
}

/** A formula may shrink to this share of its size. */
const SMALLEST = 0.8;

/** A formula that does not fit shrinks by up to a fifth. If that is not enough, an inline one gets its own line, which
 * scrolls, together with its punctuation; a marked formula without it, because its shadow is drawn on the mark. */
function fit(spans: HTMLElement[]): void {
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

/** After so many milliseconds of typesetting, half a frame, the page gets time to scroll and to hear keys. */
const BREATH = 8;

/** Only one part of the page is typeset at a time, since MathJax knows the commands of one part only. */
let turn: Promise<void> = Promise.resolve();

/** Typesets the formulas below `root`. If MathJax does not load, they stay MathML, and it is loaded next time. */
export async function typeset(root: ParentNode): Promise<void> {
  const spans = [...root.querySelectorAll<HTMLElement>(".math-container[data-tex]:not(.setting, .typeset, .math-error)")];
  if (!spans.length) return;
  for (const span of spans) span.classList.add("setting"); // the next call leaves these out
  try {
    const api = await (loading ??= load());
    const defining = definitions(document);
    let set = 0;
    const setSome = async (): Promise<void> => {
      const [first, since] = [set, performance.now()];
      do await typesetFormula(api, spans[set++]!, defining);
      while (set < spans.length && performance.now() - since < BREATH);
      fit(spans.slice(first, set));
      await breathe();
    };
    while (set < spans.length) await (turn = turn.catch(() => undefined).then(setSome));
  } catch (error) {
    console.warn(error);
    loading = undefined;
    for (const span of spans) span.classList.remove("setting");
    fit(spans);
  }
}
