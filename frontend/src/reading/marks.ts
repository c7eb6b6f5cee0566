// Highlights words by the CSS Custom Highlight API, which does not change the posts. A part of the page is marked when
// it is made ready, so that a key press has nothing left to do.
import { BREAK, COLOURS, matchesIn, type Mark } from "./keywords";

export const canMark = typeof Highlight === "function" && "highlights" in CSS;

const BLOCKS = "address, article, blockquote, br, dd, div, dl, dt, h1, h2, h3, h4, h5, h6, hr, li, ol, p, pre, table, td, th, tr, ul";

/** The text of an element without its formulas, and where each of its nodes begins. */
interface Reading {
  text: string;
  nodes: { node: Text; start: number }[];
}

function readingOf(root: Element): Reading {
  const reading: Reading = { text: "", nodes: [] };
  const walk = (node: Node): void => {
    if (node instanceof Text) {
      reading.nodes.push({ node, start: reading.text.length });
      reading.text += node.data;
    } else if (node instanceof Element) {
      const isMath = node.matches(".math-container, math");
      const isBreak = isMath || node.matches(BLOCKS);
      if (isBreak) reading.text += BREAK;
      if (!isMath && !node.matches("summary")) node.childNodes.forEach(walk);
      if (isBreak) reading.text += BREAK;
    }
  };
  walk(root);
  return reading;
}

function placed({ nodes }: Reading, offset: number): { node: Text; start: number } {
  return nodes.filter(({ start }) => start <= offset).at(-1)!;
}

function rangesOf(reading: Reading, words: readonly string[]): StaticRange[] {
  return matchesIn(reading.text, words).map(([from, to]) => {
    const [first, last] = [placed(reading, from), placed(reading, to - 1)];
    return new StaticRange({
      startContainer: first.node,
      startOffset: from - first.start,
      endContainer: last.node,
      endOffset: to - last.start,
    });
  });
}

/** The summaries of the folds that hide some of the ranges. */
function foldsOver(ranges: readonly StaticRange[]): StaticRange[] {
  const folds = new Set(ranges.map(({ startContainer }) => startContainer.parentElement!.closest("details.fold")));
  return [...folds].filter((fold) => fold !== null).map((fold) => rangeOf(fold.querySelector("summary")!));
}

const rangeOf = (element: Element): StaticRange =>
  new StaticRange({ startContainer: element, startOffset: 0, endContainer: element, endOffset: element.childNodes.length });

/** The colours of all marks, then that of the topic's own words. */
export class Painter {
  private readonly highlights = Array.from({ length: COLOURS + 1 }, (_, colour) => registered(`mark-${colour}`));
  private readonly painted = new Map<Element, StaticRange[][]>();

  constructor(
    private readonly marks: () => readonly Mark[],
    private readonly topicTerms: () => readonly string[],
  ) {}

  /** Marks the posts below an element, and forgets those that have left the page. */
  paint(root: Element): void {
    for (const post of this.painted.keys()) if (!post.isConnected) this.clear(post);
    for (const post of root.querySelectorAll(".post")) this.paintPost(post);
  }

  repaint(): void {
    for (const post of [...this.painted.keys()]) this.paintPost(post);
  }

  private paintPost(post: Element): void {
    this.clear(post);
    const wanted: (readonly string[])[] = [...Array(COLOURS).fill([]), this.topicTerms()];
    for (const mark of this.marks()) wanted[mark.colour] = mark.words;
    if (!wanted.some((words) => words.length)) return void this.painted.set(post, []);
    const reading = readingOf(post);
    const ranges = wanted.map((words) => rangesOf(reading, words));
    for (const some of ranges.slice(0, COLOURS)) some.push(...foldsOver(some)); // what the reader looks for shows, folded
    ranges.forEach((some, colour) => some.forEach((range) => this.highlights[colour]!.add(range)));
    this.painted.set(post, ranges);
  }

  private clear(post: Element): void {
    this.painted.get(post)?.forEach((some, colour) => some.forEach((range) => this.highlights[colour]!.delete(range)));
    this.painted.delete(post);
  }
}

export function registered(name: string): Highlight {
  const highlight = new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}
