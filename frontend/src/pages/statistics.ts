// The chart of the page of statistics. Screen readers get the numbers of each topic from the page of the topic set.
import * as Plot from "@observablehq/plot";
import { json, show } from "../figures";

interface TopicBar {
  topic: string;
  kind: string;
  count: number;
}

const BAR = 14;
const bars = json<TopicBar[]>("relevant-data")!;
/** The relevant grades, then any others above 0. */
const kinds = [...new Set(bars.map(({ kind }) => kind))];

const chart = Plot.plot({
  width: 80 + BAR * new Set(bars.map(({ topic }) => topic)).size,
  height: 280,
  marginBottom: 50,
  x: { type: "band", label: null, tickRotate: -90, padding: 0.15 },
  y: { label: "relevant", grid: true, ticks: Math.min(5, Math.max(...bars.map(({ count }) => count))) },
  color: { domain: kinds, range: ["var(--many)", "var(--few)"].slice(0, kinds.length) },
  marks: [
    Plot.barY(bars, { x: "topic", y: "count", fill: "kind", sort: { x: "-y" } }),
    Plot.ruleY([0]),
  ],
}) as SVGSVGElement;
show(document.querySelector("#relevant-chart"), [chart], "relevant-by-topic");
