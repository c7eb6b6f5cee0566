// The chart of the agreement page. Screen readers get the same numbers from the table below it.
import * as Plot from "@observablehq/plot";
import { find } from "../find";

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

const KINDS = ["4-way", "H+M"] as const;
const COLOURS = ["var(--chart-4way)", "var(--chart-hm)"];
const figure = find("#agreement-chart");
const assessors = JSON.parse(find("#agreement-data").textContent!) as Assessor[];
const bars: Bar[] = assessors.flatMap(({ assessor, kappa, kappa_hm }) =>
  [kappa, kappa_hm].flatMap((value, n) => (value === null ? [] : [{ assessor, kind: KINDS[n]!, kappa: value }])),
);
const names = [...new Set(bars.map((bar) => bar.assessor))];

/** Grouped bars, one pair for each assessor; the axis reaches below 0 only if a value does. */
function draw(): void {
  const lowest = Math.min(0, ...bars.map((bar) => bar.kappa));
  const [top, text] = [(bar: Bar) => Math.max(0, bar.kappa), (bar: Bar) => bar.kappa.toFixed(2)];
  const plot = Plot.plot({
    width: Math.min(figure.clientWidth, 120 + 140 * names.length),
    height: 260,
    marginLeft: 44,
    x: { axis: null, domain: KINDS, padding: 0.05 },
    fx: { label: null, padding: 0.3, domain: names },
    y: { label: "mean kappa", domain: [lowest, 1], grid: true, nice: true },
    color: { domain: KINDS, range: COLOURS },
    marks: [
      Plot.barY(bars, { fx: "assessor", x: "kind", y: "kappa", fill: "kind" }),
      Plot.text(bars, { fx: "assessor", x: "kind", y: top, text, dy: -8 }),
      Plot.ruleY([0]),
    ],
  });
  plot.setAttribute("aria-hidden", "true");
  figure.querySelector("svg")?.remove();
  figure.append(plot);
}

if (bars.length) {
  figure.hidden = false;
  draw();
  addEventListener("resize", draw);
}
