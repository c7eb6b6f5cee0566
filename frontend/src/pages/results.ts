// The charts of the pages of an evaluation. Screen readers get the same numbers from the table below each.
import * as Plot from "@observablehq/plot";
import { type Chart, json, roomFor, show } from "../figures";

interface TopicValues {
  topic: string;
  value: number | null;
  lowest: number;
  median: number;
  highest: number;
  address: string;
}

/** Of some ranks together: `rank` is in the middle of them. */
interface Band {
  rank: number;
  judged: number;
  relevance: number | null;
}

interface TopicDifference {
  topic: string;
  difference: number;
  address: string;
}

interface Interval {
  run: string;
  kind: "reference" | "apart" | "other";
  mean: number;
  low: number | null;
  high: number | null;
}

const BAR = 14;
const ROW = 22;
/** Room above a chart for ticks and, over them, their label. */
const ABOVE = 48;
const OWN = "var(--accent)";
const SYMBOLS = { reference: "square", apart: "diamond", other: "circle" } as const;
const KINDS = { reference: "var(--chart-second)", apart: OWN, other: "var(--chart-other)" };

/** Wide enough for a label below each topic, in the order of the table. */
const byTopic = (topics: string[], label: string): Plot.PlotOptions => ({
  width: Math.max(320, 80 + BAR * topics.length),
  height: 280,
  marginLeft: 52,
  marginBottom: 56,
  x: { type: "band", label: null, domain: topics, tickRotate: -90, padding: 0.15 },
  y: { label, grid: true, nice: true },
});

/** A dot for the run and a tick for the median of all runs, on a line from the lowest to the highest; the run's best
    topics first. */
function topicsOf(topics: TopicValues[], measure: string): Chart {
  const sorted = [...topics].sort((a, b) => (b.value ?? -1) - (a.value ?? -1));
  const place = { x: "topic", href: "address" };
  return Plot.plot({
    ...byTopic(sorted.map(({ topic }) => topic), measure),
    marks: [
      Plot.ruleX(topics, { ...place, y1: "lowest", y2: "highest", stroke: "var(--edge)", strokeWidth: 1.5, strokeOpacity: 0.7 }),
      Plot.tickY(topics, { ...place, y: "median", stroke: "var(--ink)", strokeWidth: 2 }),
      Plot.dot(topics.filter(({ value }) => value !== null), { ...place, y: "value", fill: OWN, r: 4 }),
      Plot.ruleY([0]),
    ],
  });
}

/** A line over ranks up to the last, which are on a logarithmic axis. */
function bandsOf(bands: Band[], last: number, value: "judged" | "relevance", highest: number): Chart {
  const points = bands.filter((band) => band[value] !== null);
  const ticks = [...[1, 10, 100].filter((tick) => tick < last / 1.2), last];
  return Plot.plot({
    width: 480,
    height: 220,
    marginLeft: 44,
    marginBottom: 40,
    x: { type: "log", domain: [1, Math.max(2, last)], label: "rank →", ticks, tickFormat: ",", grid: true },
    y: { label: value === "judged" ? "judged share" : "mean grade", domain: [0, highest], grid: true },
    marks: [
      Plot.line(points, { x: "rank", y: value, stroke: OWN, strokeWidth: 2 }),
      Plot.dot(points, { x: "rank", y: value, fill: OWN, r: 3.5 }),
      Plot.ruleY([0]),
    ],
  });
}

/** A bar for each topic, from the largest gain of the first run to its largest loss. */
function differencesOf(rows: TopicDifference[], measure: string): Chart {
  return Plot.plot({
    ...byTopic(rows.map(({ topic }) => topic), `difference in ${measure}`),
    marks: [
      Plot.barY(rows, {
        x: "topic",
        y: "difference",
        href: "address",
        fill: ({ difference }: TopicDifference) => (difference >= 0 ? OWN : "var(--chart-second)"),
      }),
      Plot.ruleY([0]),
    ],
  });
}

/** The mean of each run with its interval, best first; a line through that of the reference. On a narrow screen the
    names stand above the intervals. */
function intervalsOf(rows: Interval[], measure: string): Chart {
  const isNarrow = matchMedia("(max-width: 40rem)").matches;
  const margin = isNarrow ? 12 : 20 + roomFor(rows.map(({ run }) => run));
  const colour = ({ kind }: Interval): string => KINDS[kind];
  return Plot.plot({
    width: isNarrow ? 350 : margin + 420,
    height: ABOVE + 30 + (isNarrow ? 1.6 * ROW : ROW) * rows.length,
    insetTop: isNarrow ? 10 : 0,
    marginLeft: margin,
    marginTop: ABOVE,
    x: { label: `${measure} →`, labelOffset: ABOVE - 4, grid: true, nice: true, axis: "top" },
    y: { label: null, domain: rows.map(({ run }) => run), axis: isNarrow ? null : "left" },
    marks: [
      Plot.ruleX(rows.filter(({ kind }) => kind === "reference"), { x: "mean", stroke: KINDS.reference, strokeDasharray: "4 3" }),
      Plot.ruleY(rows.filter(({ low }) => low !== null), { y: "run", x1: "low", x2: "high", stroke: colour, strokeWidth: 2 }),
      Plot.dot(rows, { x: "mean", y: "run", fill: colour, r: 4, symbol: ({ kind }: Interval) => SYMBOLS[kind] }),
      isNarrow ? Plot.text(rows, { y: "run", text: "run", frameAnchor: "left", textAnchor: "start", dy: -13, fill: "var(--ink)" }) : null,
    ],
  });
}

const measureOf = (figure: HTMLElement | null): string => figure?.dataset.measure ?? "";
const figure = (id: string): HTMLElement | null => document.querySelector<HTMLElement>(id);

const run = json<{ topics: TopicValues[]; bands: Band[]; last: number; highest: number }>("results-data");
if (run?.topics.length) show(figure("#topics-chart"), [topicsOf(run.topics, measureOf(figure("#topics-chart")))], "topics");
if (run?.bands.length) {
  show(figure("#judged-chart"), [bandsOf(run.bands, run.last, "judged", 1)], "judged-by-rank");
  show(figure("#relevance-chart"), [bandsOf(run.bands, run.last, "relevance", run.highest)], "relevance-by-rank");
}
const pair = json<TopicDifference[]>("pair-data");
if (pair?.length) show(figure("#pair-chart"), [differencesOf(pair, measureOf(figure("#pair-chart")))], "two-runs");
const tested = json<Interval[]>("significance-data");
if (tested?.length) show(figure("#significance-chart"), [intervalsOf(tested, measureOf(figure("#significance-chart")))], "significance");
