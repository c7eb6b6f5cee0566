// MathJax, which we serve, typesets formulas better than browsers show MathML.

import { elementOf } from "./find";
import { prepare, type Commands } from "./own_commands";

type MathNode = { attributes?: { getAllAttributes(): Record<string, unknown> } };
type Filter = (formula: { data: { root: { walkTree(visit: (node: MathNode) => void): void } } }) => void;

interface MathDocument {
  inputJax: { postFilters: { add(filter: Filter): void } }[];
}

export type MathJaxApi = Commands & {
  startup: {
    promise: Promise<void>;
    document: MathDocument;
    output: { pageElements(document: MathDocument): HTMLElement };
  };
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

/** All but its menu, a sixth of its size. */
const PARTS = ["core", "input/tex", "output/svg", "a11y/assistive-mml", "ui/safe", "[tex]/mathtools"];

function configuration(base: string, failed: (error: unknown) => void): unknown {
  return {
    startup: { typeset: false },
    loader: {
      paths: { mathjax: base },
      source: { "[tex]/AMScd": "[tex]/amscd" },
      load: PARTS,
      failed,
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
    svg: { fontCache: "global" },
    options: { enableAssistiveMml: true, safeOptions: SAFE },
  };
}

export async function load(): Promise<MathJaxApi> {
  const base = new URL(document.documentElement.dataset.mathjax!, location.href).href.replace(/\/$/, "");
  await new Promise((resolve, reject) => {
    window.MathJax = configuration(base, reject);
    const script = document.createElement("script");
    script.src = `${base}/startup.js`;
    script.onload = () => resolve((window.MathJax as MathJaxApi).startup.promise);
    script.onerror = () => {
      script.remove();
      reject(new Error(`${script.src} did not load`));
    };
    document.head.append(script);
  });
  const api = window.MathJax as MathJaxApi;
  for (const input of api.startup.document.inputJax) input.postFilters.add(refuseHuge);
  document.head.append(api.svgStylesheet());
  document.body.append(api.startup.output.pageElements(api.startup.document)); // the outlines that all formulas share
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

/** Short formulas as they were set, by their source: more than half of all formulas have been set before. */
const done = new Map<string, HTMLElement>();
const [SHORT, MOST_DONE] = [40, 1000];

/** What a formula looks like, for which the definitions of `defining` may matter. */
async function lookOf(api: MathJaxApi, span: HTMLElement, defining: HTMLElement[]): Promise<HTMLElement> {
  const [tex, display] = [span.dataset.tex ?? "", span.dataset.display === "block"];
  const key = defining.length || tex.length > SHORT ? "" : `${display} ${tex}`;
  const known = done.get(key);
  if (known) return known.cloneNode(true) as HTMLElement;
  await prepare(api, span, defining);
  const look = await api.tex2svgPromise(tex, { display });
  if (key && done.size < MOST_DONE) done.set(key, look.cloneNode(true) as HTMLElement);
  return look;
}

/** Sets a formula, for which the definitions of `defining` may matter. */
export async function typesetFormula(api: MathJaxApi, span: HTMLElement, defining: HTMLElement[]): Promise<void> {
  try {
    span.replaceChildren(await lookOf(api, span, defining));
    span.classList.add("typeset");
    keepLegible(span);
    if (span.querySelector(UNKNOWN)) span.title = document.documentElement.dataset.unknown ?? "";
  } catch (error) {
    showSource(span, span.dataset.tex ?? "", (error as Partial<Error>).message ?? String(error)); // MathJax throws objects of its own
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
  span.replaceChildren(elementOf("small", "", document.documentElement.dataset.unset), elementOf("code", "", tex));
  span.classList.add("math-error");
  span.title = problem;
}
