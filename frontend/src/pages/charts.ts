// The chart of the agreement page. Screen readers get the same numbers from the table below it.
import * as Plot from "@observablehq/plot";

interface Assessor {
  assessor: string;
  kappa: number | null;
  kappa_hm: number | null;
}

interface Bar {
  assessor: string;
  kind: string;
  kappa: number;
}

const KINDS = ["4-way", "H+M"];
const COLOURS = ["var(--chart-4way)", "var(--chart-hm)"];

function bars(assessors: Assessor[]): Bar[] {
  return assessors.flatMap(({ assessor, kappa, kappa_hm }) =>
    [kappa, kappa_hm].flatMap((value, n) => (value === null ? [] : [{ assessor, kind: KINDS[n] ?? "", kappa: value }])),
  );
}

/** Grouped bars, one pair for each assessor; the axis reaches below 0 only if a value does. */
function draw(data: Bar[], width: number): SVGSVGElement | HTMLElement {
  const lowest = Math.min(0, ...data.map((bar) => bar.kappa));
  return Plot.plot({
    width,
    height: 260,
    marginLeft: 44,
    x: { axis: null, domain: KINDS, padding: 0.05 },
    fx: { label: null, padding: 0.3, domain: [...new Set(data.map((bar) => bar.assessor))] },
    y: { label: "mean kappa", domain: [lowest, 1], grid: true, nice: true },
    color: { domain: KINDS, range: COLOURS },
    marks: [
      Plot.barY(data, { fx: "assessor", x: "kind", y: "kappa", fill: "kind" }),
      Plot.text(data, { fx: "assessor", x: "kind", y: (bar: Bar) => Math.max(0, bar.kappa), text: (bar: Bar) => bar.kappa.toFixed(2), dy: -8 }),
      Plot.ruleY([0]),
    ],
  });
}

function legend(): HTMLElement {
  const list = document.createElement("figcaption");
  list.className = "legend";
  KINDS.forEach((kind, n) => {
    const item = document.createElement("span");
    item.className = n ? "key hm" : "key four-way";
    item.textContent = kind;
    list.append(item);
  });
  return list;
}

function show(figure: HTMLElement): void {
  const source = document.getElementById(figure.dataset["source"] ?? "");
  const data = bars(JSON.parse(source?.textContent ?? "[]") as Assessor[]);
  if (!data.length) return;
  figure.hidden = false;
  const plot = draw(data, Math.min(figure.clientWidth, 120 + 140 * new Set(data.map((bar) => bar.assessor)).size));
  plot.setAttribute("aria-hidden", "true");
  figure.replaceChildren(legend(), plot);
}

document.querySelectorAll<HTMLElement>("figure.chart").forEach((figure) => {
  show(figure);
  let width = figure.clientWidth;
  addEventListener("resize", () => {
    if (figure.clientWidth !== width) show(figure);
    width = figure.clientWidth;
  });
});
