// The planner of the pool: sliders, the cost from the grids in the page, and the curves. The tables below come from the
// server after a change.
import * as Plot from "@observablehq/plot";

interface Plan {
  units: number[][];
  documents: number[][];
}

interface Point {
  depth: number;
  units: number;
  dial: string;
}

const DIALS = ["primary", "alternate"];
const COLOURS = ["var(--chart-primary)", "var(--chart-alternate)"];
const plan = JSON.parse(document.getElementById("plan-data")?.textContent ?? "{}") as Plan;
const form = document.querySelector<HTMLFormElement>("#dials");
const figure = document.querySelector<HTMLElement>("#plan-chart");

function field(name: string): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>(`#dials [name=${name}]`);
}

function value(name: string): number {
  return field(name)?.valueAsNumber ?? 0;
}

/** The value of a grid at the dials; undefined if they are outside. */
function valueAt(grid: number[][]): number | undefined {
  return grid[value("primary")]?.[value("alternate")];
}

function show(name: string, number: number | undefined, digits = 0): void {
  const element = document.querySelector(`[data-show=${name}]`);
  const known = number !== undefined && Number.isFinite(number);
  if (element) element.textContent = known ? number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }) : "–";
}

function showCost(): void {
  const [units, documents] = [valueAt(plan.units), valueAt(plan.documents)];
  const topics = document.querySelectorAll("#plan-topics tbody tr").length;
  const hours = documents === undefined ? undefined : (documents * value("seconds")) / 3600;
  show("units", units);
  show("documents", documents);
  show("mean", units === undefined ? undefined : units / topics, 1);
  show("hours", hours, 1);
  show("each", hours === undefined ? undefined : hours / value("assessors"), 1);
}

/** The units at each setting of one dial while the other stays where it is. */
function curves(): Point[] {
  const [primary, alternate] = [value("primary"), value("alternate")];
  const rows = plan.units.map((row, depth) => ({ depth, units: row[alternate] ?? 0, dial: "primary" }));
  const columns = field("alternate") ? (plan.units[primary] ?? []) : [];
  return [...rows, ...columns.map((units, depth) => ({ depth, units, dial: "alternate" }))].filter((point) => point.depth > 0);
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
  const drawn = Plot.plot({
    width,
    height: 240,
    marginLeft: 56,
    marginTop: 36,
    marginBottom: 44,
    x: { label: field("alternate") ? "depth" : "units of each topic", labelOffset: 40 },
    y: { label, grid: true, zero: true, nice: true },
    color: { domain: DIALS, range: COLOURS },
    marks: [
      Plot.ruleY([0]),
      Plot.line(points, { x: "depth", y: "units", stroke: "dial", strokeWidth: 2 }),
      Plot.dot(now, { x: "depth", y: "units", fill: "dial", r: 5 }),
      Plot.text(now.slice(0, numbers), { x: "depth", y: "units", text: (point: Point) => point.units.toLocaleString("en"), dy: -12, fontWeight: "bold", stroke: "var(--paper)", fill: "currentColor", strokeWidth: 4 }),
    ],
  });
  drawn.setAttribute("aria-hidden", "true");
  return drawn;
}

function legend(): HTMLElement {
  const list = document.createElement("figcaption");
  list.className = "legend";
  for (const dial of DIALS) {
    const item = document.createElement("span");
    item.className = `key ${dial}`;
    item.textContent = `${dial} depth changes`;
    list.append(item);
  }
  return list;
}

function draw(): void {
  if (!figure) return;
  figure.hidden = false;
  const points = curves();
  const width = Math.min(figure.clientWidth, figure.clientWidth > 800 ? figure.clientWidth / 2 - 8 : 640);
  const plots = document.createElement("div");
  plots.className = "plots";
  plots.append(plot(points, `${figure.dataset["unit"]} in the pool`, width, 1), plot(steps(points), "added by the last unit of depth", width, 2));
  figure.replaceChildren(...(field("alternate") ? [legend()] : []), plots);
}

function changed(): void {
  for (const name of DIALS) {
    const copy = document.querySelector<HTMLInputElement>(`#use [name=${name}]`);
    if (copy) copy.value = field(name)?.value ?? "";
  }
  showCost();
  draw();
}

document.querySelectorAll<HTMLInputElement>("[data-dial]").forEach((slider) => {
  const number = field(slider.dataset["dial"] ?? "");
  slider.hidden = false;
  slider.addEventListener("input", () => {
    if (number) number.value = slider.value;
  });
  number?.addEventListener("input", () => {
    slider.value = number.value;
  });
});
form?.addEventListener("input", changed);
form?.querySelector("button")?.setAttribute("hidden", "");
addEventListener("resize", draw);
draw();
