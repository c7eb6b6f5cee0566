// Formulas: the server sends them as MathML or TeX; MathJax sets them, those first that can be reached first.

import { fit } from "./fitting";
import { breathe, idle } from "./frame";
import { load, typesetFormula, type MathJaxApi } from "./mathjax";
import { definitionsByScope } from "./own_commands";

/** When formulas are set, as a number that may change: the least is first. From IDLE on they wait until the page has
 * nothing else to do, with NEVER until that changes. */
type Urgency = () => number;
export const [SOON, IDLE, NEVER] = [1, 10, Infinity];

/** Chromium tells whether a key waits. */
const scheduling = (navigator as { scheduling?: { isInputPending(): boolean } }).scheduling;
/** After so many milliseconds of typesetting the page gets time to scroll and to hear keys: half a frame, or more if it can
 * be seen that nobody presses any, for a layout and a frame after each formula take longer than the formula. */
const BREATH = scheduling ? 25 : 8;
/** What nobody waits for yet: the layout after it takes longer than the formulas, and a key has to wait for its end. */
const IDLE_BREATH = 8;
const UNSET = ".math-container[data-tex]:not(.typeset, .math-error)";
const isUnset = (formula: HTMLElement): boolean => formula.isConnected && formula.matches(UNSET);

type FormulaFilter = (formulas: HTMLElement[]) => HTMLElement[];

class Typesetting {
  constructor(
    private formulas: HTMLElement[],
    private readonly wanted: FormulaFilter,
    readonly urgency: Urgency,
    readonly end: () => void,
  ) {}

  get isOver(): boolean {
    return !this.formulas.some(isUnset);
  }

  left(): HTMLElement[] {
    this.formulas = this.formulas.filter(isUnset);
    return this.wanted(this.formulas);
  }
}

let jobs: Typesetting[] = [];
let api: Promise<MathJaxApi> | undefined;
let isWorking = false;
let wake = (): void => undefined;

/** Typesets the formulas below `root`, or, as long as there are any, those of them that are `wanted`. Resolves when they
 * are set or gone. If MathJax does not load, they stay as they are, and it is loaded next time. */
export function typeset(
  root: ParentNode,
  urgency: Urgency = () => SOON,
  wanted: FormulaFilter = (all) => all,
): Promise<void> {
  const formulas = [...root.querySelectorAll<HTMLElement>(UNSET)];
  if (!formulas.length) return Promise.resolve();
  return new Promise((end) => {
    jobs.push(new Typesetting(formulas, wanted, urgency, end));
    wake();
    void work();
  });
}

/** What was NEVER to be set may be now. */
export function resumeTypesetting(): void {
  wake();
  void work();
}

async function work(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  try {
    const mathJax = await (api ??= load());
    for (let job = next(); job; job = next()) await workOn(job, mathJax);
  } catch (error) {
    console.warn(error);
    api = undefined;
    for (const job of jobs) fit(job.left());
    end(jobs);
  }
  isWorking = false;
}

function next(): Typesetting | undefined {
  end(jobs.filter(({ isOver }) => isOver));
  const all = jobs.map((job) => ({ job, urgency: job.urgency() })).filter(({ urgency }) => urgency < NEVER);
  return all.sort((one, other) => one.urgency - other.urgency)[0]?.job;
}

function end(ended: Typesetting[]): void {
  jobs = jobs.filter((job) => !ended.includes(job));
  for (const job of ended) job.end();
}

/** Sets a few formulas: after them another job may be more urgent. */
async function workOn(job: Typesetting, mathJax: MathJaxApi): Promise<void> {
  const isIdle = job.urgency() >= IDLE;
  if (isIdle) {
    await Promise.race([idle(), new Promise<void>((resolve) => (wake = resolve))]);
    if (next() !== job) return;
  }
  const formulas = job.left();
  if (!formulas.length) return end([job]);
  fit(await setSome(formulas, mathJax, isIdle ? IDLE_BREATH : BREATH));
  await breathe();
}

async function setSome(formulas: HTMLElement[], mathJax: MathJaxApi, most: number): Promise<HTMLElement[]> {
  const [definitionsFor, since] = [definitionsByScope(), performance.now()];
  let count = 0;
  do await typesetFormula(mathJax, formulas[count]!, definitionsFor(formulas[count]!));
  while (++count < formulas.length && performance.now() - since < most && !scheduling?.isInputPending());
  return formulas.slice(0, count);
}
