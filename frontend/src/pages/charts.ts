// The charts of the pages on agreement. Screen readers get the same numbers from the table beside each.
import * as Plot from "@observablehq/plot";
import { type Chart, json, show } from "../figures";

interface KappaBar {
  assessor: string;
  kappa: number | null;
  kappa_hm: number | null;
}

interface Panel {
  name: string;
  bars: KappaBar[];
}

interface Pair {
  first: string;
  second: string;
  address: string;
  kappa: number | null;
  kappa_hm: number | null;
}

interface Cell {
  row: number;
  column: number;
  count: number;
  address: string;
}

interface AgreementData {
  kinds: string[];
  panels: Panel[];
  pairs: Pair[];
  trends: KappaBar[][];
}

interface Value {
  name: string;
  kind: string;
  kappa: number;
}

/** A square of a matrix: stronger for higher values (`weight` up to 1), with its number. */
interface Square {
  x: string;
  y: string;
  text: string;
  weight: number;
  address: string;
}

type Axes<Value> = { x: Value; y: Value };

const COLOURS = ["var(--chart-4way)", "var(--chart-hm)"];
const SIDE = 56;
/** The opacity of the highest value: ink can be read on it in both themes. */
const STRONGEST = 0.45;

const report = json<AgreementData>("agreement-data");
/** What kappa over all grades and over relevant or not are called in this campaign. */
const kinds = report?.kinds ?? [];

/** Without those that are undefined. */
const values = (bars: KappaBar[]): Value[] =>
  bars.flatMap(({ assessor, kappa, kappa_hm }) =>
    [kappa, kappa_hm].flatMap((value, n) => (value === null ? [] : [{ name: assessor, kind: kinds[n]!, kappa: value }])),
  );

const shortened = (kappa: number): string => kappa.toFixed(2).replace("-", "−");

const lowest = (points: Value[]): number => Math.min(0, ...points.map((point) => point.kappa));

/** The labs' figure: a grey and a black bar for each assessor. A bar of 0 or below gets a tick, so that it is seen. */
function barsOf(panel: Panel, floor: number): Chart {
  const bars = values(panel.bars);
  const names = [...new Set(bars.map((bar) => bar.name))];
  const [top, text] = [(bar: Value) => Math.max(0, bar.kappa), (bar: Value) => shortened(bar.kappa)];
  return Plot.plot({
    title: panel.name || undefined,
    width: 80 + 100 * names.length,
    height: 240,
    marginLeft: 44,
    x: { axis: null, domain: kinds, padding: 0.05 },
    fx: { label: null, padding: 0.2, domain: names },
    y: { label: "mean kappa", domain: [floor, 1], grid: true, nice: true },
    color: { domain: kinds, range: COLOURS },
    marks: [
      Plot.barY(bars, { fx: "name", x: "kind", y: "kappa", fill: "kind" }),
      Plot.tickY(bars.filter((bar) => bar.kappa <= 0), { fx: "name", x: "kind", y: "kappa", stroke: "kind", strokeWidth: 3 }),
      Plot.text(bars, { fx: "name", x: "kind", y: top, text, dy: -8 }),
      Plot.ruleY([0]),
    ],
  });
}

/** A line for each kind of kappa, from round to round or week to week. */
function trendOf(bars: KappaBar[]): Chart {
  const points = values(bars);
  const names = bars.map((bar) => bar.assessor);
  return Plot.plot({
    width: 120 + 70 * names.length,
    height: 220,
    marginLeft: 44,
    x: { type: "point", label: null, domain: names },
    y: { label: "mean kappa", domain: [lowest(points), 1], grid: true, nice: true },
    color: { domain: kinds, range: COLOURS },
    marks: [
      Plot.line(points, { x: "name", y: "kappa", stroke: "kind", strokeWidth: 2 }),
      Plot.dot(points, { x: "name", y: "kappa", fill: "kind", r: 4 }),
      Plot.ruleY([0]),
    ],
  });
}

/** Squares that lead to what is behind them. */
function matrixOf(squares: Square[], names: Axes<string[]>, labels: Partial<Axes<string>>): Chart {
  const place = { x: "x", y: "y", href: "address", ariaLabel: "text" };
  const wide = (all: string[]): number => 7 * Math.max(...all.map((name) => name.length));
  const margin = (labels.y ? 40 : 20) + wide(names.y);
  const isSlanted = wide(names.x) > SIDE;
  const top = isSlanted ? 30 + 0.7 * wide(names.x) : 40;
  return Plot.plot({
    width: margin + SIDE * names.x.length + (isSlanted ? top : 10),
    height: top + 10 + SIDE * names.y.length,
    marginLeft: margin,
    marginTop: top,
    marginRight: isSlanted ? top : 10,
    padding: 0.05,
    x: { domain: names.x, axis: "top", label: labels.x ?? null, tickRotate: isSlanted ? -45 : 0 },
    y: { domain: names.y, label: labels.y ?? null },
    marks: [
      Plot.cell(squares, { ...place, fill: "var(--accent)", fillOpacity: (square: Square) => STRONGEST * square.weight, stroke: "var(--line)" }),
      Plot.text(squares, { ...place, text: "text", fill: "var(--ink)" }),
    ],
  });
}

/** Below the diagonal kappa over all grades, above it over relevant or not. */
function pairMatrix(pairs: Pair[]): Chart {
  const names = [...new Set(pairs.flatMap(({ first, second }) => [first, second]))].sort();
  const square = (x: string, y: string, kappa: number | null, address: string): Square => ({
    x, y, address, text: kappa === null ? "—" : shortened(kappa), weight: Math.max(0, kappa ?? 0),
  });
  const squares = pairs.flatMap(({ first, second, kappa, kappa_hm, address }) => [
    square(first, second, kappa, address),
    square(second, first, kappa_hm, address),
  ]);
  return matrixOf(squares, { x: names, y: names }, {});
}

function confusionOf(cells: Cell[][], rows: string, columns: string): Chart {
  const most = Math.max(1, ...cells.flat().map((cell) => cell.count));
  const squares = cells.flat().map(({ row, column, count, address }) => ({
    x: String(column), y: String(row), text: String(count), weight: count / most, address,
  }));
  const names = cells.map((row) => String(row[0]!.row));
  return matrixOf(squares, { x: names, y: names }, { x: columns, y: rows });
}

if (report) {
  const panels = report.panels.filter((panel) => values(panel.bars).length);
  const floor = lowest(panels.flatMap((panel) => values(panel.bars)));
  show(document.querySelector("#agreement-chart"), panels.map((panel) => barsOf(panel, floor)));
  show(document.querySelector("#pairs-chart"), report.pairs.length > 1 ? [pairMatrix(report.pairs)] : []);
  show(document.querySelector("#trend-chart"), report.trends.filter((bars) => values(bars).length && bars.length > 1).map(trendOf));
}
for (const figure of document.querySelectorAll<HTMLElement>("figure.confusion")) {
  const cells = json<Cell[][]>(figure.dataset.cells!);
  if (cells?.length) show(figure, [confusionOf(cells, figure.dataset.rows!, figure.dataset.columns!)]);
}
