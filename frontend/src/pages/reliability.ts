// The charts of the page on reliability. Screen readers get the same numbers from the table below each.
import * as Plot from "@observablehq/plot";
import { type Chart, json, roomFor, show } from "../figures";
import { find } from "../find";

interface Slope {
  run: string;
  places: [number, number];
}

interface Arrow {
  run: string;
  before: number;
  after: number;
}

interface ReliabilityData {
  places: { judges: string[]; runs: Slope[] };
  teams: Arrow[];
}

const ROW = 18;
/** Room for the numbers of an axis and its label below them. */
const BELOW = 44;
/** What the page and the figure have at their sides. */
const AROUND = 72;
const LEAST = 80;
const { places, teams } = json<ReliabilityData>("reliability-data")!;

const margin = (names: string[]): number => 16 + roomFor(names);

/** How much the window leaves for a chart beside these names: a phone shows all of it. */
const room = (names = 0): number => Math.max(LEAST, innerWidth - AROUND - names);

interface Label {
  place: number;
  names: string;
}

/** A line for each run from its place under the first judge to that under the second; those that move are strong. If the
 * names have no room on both sides, the second has the places only. */
function slopes(judges: string[], runs: Slope[]): Chart {
  const at = (side: 0 | 1) => (run: Slope) => run.places[side];
  const moved = (run: Slope) => run.places[0] !== run.places[1];
  const [first, second] = [together(runs, 0), together(runs, 1)];
  const left = margin([...textsOf(first), judges[0]!]);
  const beside = margin([...textsOf(second), judges[1]!]);
  const isNarrow = left + beside + LEAST > innerWidth - AROUND;
  const right = isNarrow ? margin(["00"]) : beside;
  const most = Math.max(...runs.flatMap((run) => run.places));
  const stroke = (run: Slope) => (moved(run) ? "var(--accent)" : "var(--faint)");
  const before = { textAnchor: "end", dx: -8, fill: "var(--ink)" } as const;
  const after = { textAnchor: "start", dx: 8, fill: "var(--ink)" } as const;
  const head = (side: 0 | 1, options: Plot.TextOptions) =>
    Plot.text([judges[side]!], { x: () => judges[side]!, y: () => 0, text: (name: string) => name, ...options });
  return Plot.plot({
    width: left + right + Math.min(220, room(left + right)),
    height: 24 + ROW * (most + 1),
    marginLeft: left,
    marginRight: right,
    marginTop: 12,
    x: { type: "point", domain: judges, axis: null, padding: 0 },
    y: { domain: [most + 0.5, -0.5], axis: null },
    marks: [
      Plot.link(runs, { x1: () => judges[0]!, x2: () => judges[1]!, y1: at(0), y2: at(1), stroke, strokeWidth: (run: Slope) => (moved(run) ? 2 : 1) }),
      Plot.text(first, { x: () => judges[0]!, y: "place", text: "names", ...before }),
      Plot.text(second, { x: () => judges[1]!, y: "place", text: isNarrow ? "place" : "names", ...after }),
      head(0, before),
      head(1, isNarrow ? { ...before, dx: right - 4 } : after),
    ],
  });
}

const textsOf = (labels: Label[]): string[] => labels.map(({ names }) => names);

/** The names of the runs on each place: those that are tied share it. */
function together(runs: Slope[], side: 0 | 1): Label[] {
  const names = new Map<number, string[]>();
  for (const run of runs) names.set(run.places[side], [...(names.get(run.places[side]) ?? []), run.run]);
  return [...names].map(([place, tied]) => ({ place, names: `${place} ${tied[0]}${tied.length > 1 ? ` +${tied.length - 1}` : ""}` }));
}

/** A line for each run from its mean with all qrels to that without its team's own units. */
function arrows(rows: Arrow[]): Chart {
  const names = rows.map(({ run }) => run);
  return Plot.plot({
    width: margin(names) + Math.min(560, room(margin(names))),
    height: 76 + ROW * rows.length,
    marginLeft: margin(names),
    marginBottom: BELOW,
    x: { label: "mean", labelOffset: BELOW - 4, grid: true, nice: true },
    y: { domain: names, label: null },
    marks: [
      Plot.link(rows, { x1: "before", x2: "after", y1: "run", y2: "run", stroke: "var(--accent)", strokeWidth: 2 }),
      Plot.dot(rows, { x: "before", y: "run", r: 4, stroke: "var(--accent)", fill: "var(--ground)" }),
      Plot.dot(rows, { x: "after", y: "run", r: 3, fill: "var(--accent)" }),
    ],
  });
}

const figure = (id: string): HTMLElement => find(`#${id}-chart`);

if (places.runs.length > 1) show(figure("places"), [slopes(places.judges, places.runs)], "places-by-assessor");
if (teams.length) show(figure("teams"), [arrows(teams)], "without-a-team");
