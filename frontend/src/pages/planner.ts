// The planner of the pool: sliders, the cost from the grids in the page, and the curves. The tables below come from the
// server after a change.
import * as Plot from "@observablehq/plot";
import { find } from "../find";

/** By the settings of both dials. */
type Grid = (number | undefined)[][];

interface Point {
  depth: number;
  units: number;
  dial: string;
}

const DIALS = ["primary", "alternate"];
const COLOURS = ["var(--chart-primary)", "var(--chart-alternate)"];
const plan = JSON.parse(find("#plan-data").textContent!) as { units: Grid; documents: Grid };
const form = find<HTMLFormElement>("#dials");
const figure = find("#plan-chart");
const plots = document.createElement("div");

/** The pool has one size or two depths. */
const field = (name: string): HTMLInputElement | null => form.querySelector<HTMLInputElement>(`[name=${name}]`);
const hasDepths = field("alternate") !== null;
const value = (name: string): number => field(name)?.valueAsNumber ?? 0;
const valueAt = (grid: Grid): number => grid[value("primary")]?.[value("alternate")] ?? NaN;

function show(name: string, number: number, digits = 0): void {
  const element = document.querySelector(`[data-show=${name}]`);
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  if (element) element.textContent = Number.isFinite(number) ? number.toLocaleString("en", options) : "–";
}

function showCost(): void {
  const [units, documents] = [valueAt(plan.units), valueAt(plan.documents)];
  const hours = (documents * value("seconds")) / 3600;
  show("units", units);
  show("documents", documents);
  show("mean", units / document.querySelectorAll("#plan-topics tbody tr").length, 1);
  show("hours", hours, 1);
  show("each", hours / value("assessors"), 1);
}

/** The units at each setting of one dial while the other stays where it is. */
function curves(): Point[] {
  const points = (dial: string, all: (number | undefined)[]): Point[] =>
    all.map((units, depth) => ({ depth, units: units ?? 0, dial })).slice(1);
  const rows = plan.units.map((row) => row[value("alternate")]);
  const columns = hasDepths ? (plan.units[value("primary")] ?? []) : [];
  return [...points("primary", rows), ...points("alternate", columns)];
}

/** What the last unit of depth added at each setting. */
function steps(points: Point[]): Point[] {
  return points.flatMap((point, n) => {
    const before = points[n - 1];
    return before?.dial === point.dial ? [{ ...point, units: point.units - before.units }] : [];
  });
}

/** A chart with the dials marked. The pool has one size for both of them, so it needs one number. */
function plot(points: Point[], label: string, width: number, numbers: number): Element {
  const now = points.filter((point) => point.depth === value(point.dial));
  const text = (point: Point): string => point.units.toLocaleString("en");
  const outlined = { stroke: "var(--paper)", fill: "currentColor", strokeWidth: 4 };
  const drawn = Plot.plot({
    width,
    height: 240,
    marginLeft: 56,
    marginTop: 36,
    marginBottom: 44,
    x: { label: hasDepths ? "depth" : "units of each topic", labelOffset: 40 },
    y: { label, grid: true, zero: true, nice: true },
    color: { domain: DIALS, range: COLOURS },
    marks: [
      Plot.ruleY([0]),
      Plot.line(points, { x: "depth", y: "units", stroke: "dial", strokeWidth: 2 }),
      Plot.dot(now, { x: "depth", y: "units", fill: "dial", r: 5 }),
      Plot.text(now.slice(0, numbers), { x: "depth", y: "units", text, dy: -12, fontWeight: "bold", ...outlined }),
    ],
  });
  drawn.setAttribute("aria-hidden", "true");
  return drawn;
}

function draw(): void {
  const points = curves();
  const width = Math.min(figure.clientWidth, figure.clientWidth > 800 ? figure.clientWidth / 2 - 8 : 640);
  const all = plot(points, `${figure.dataset.unit} in the pool`, width, 1);
  plots.replaceChildren(all, plot(steps(points), "added by the last unit of depth", width, 2));
}

form.addEventListener("input", ({ target }) => {
  const { name, value, dataset } = target as HTMLInputElement;
  const dial = dataset.dial ?? name;
  for (const field of document.querySelectorAll<HTMLInputElement>(`[data-dial=${dial}], form [name=${dial}]`)) {
    if (field !== target) field.value = value;
  }
  showCost();
  draw();
});
for (const slider of document.querySelectorAll<HTMLElement>("[data-dial]")) slider.hidden = false;
form.querySelector("button")!.hidden = true;
figure.hidden = false;
plots.className = "plots";
figure.append(plots);
addEventListener("resize", draw);
draw();
