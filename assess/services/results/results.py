"""An evaluation as a table: a line for each run, grouped by team or sorted by a measure."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from assess.ir.common.rows import Score as ScoreRow
from assess.ir.results import measures
from assess.models import Evaluation, Judgment, QrelsLine, Run
from assess.services.campaign.campaigns import topic_number
from assess.services.results.evaluation import UNIT_OF_FORMAT


class Cell(NamedTuple):
    """The mean of a measure; ``best`` marks the highest of the table."""

    value: float
    best: bool


class Line(NamedTuple):
    """A run with its means by measure (none where it has no judged topic) and the number of topics averaged over."""

    run: Run
    cells: dict[str, Cell]
    topics: int

    @property
    def group(self) -> str:
        """The team; baselines stand together under no name."""
        return "" if self.run.kind == Run.Kind.BASELINE else self.run.team

    @property
    def flags(self) -> str:
        """P primary, A alternate, B baseline; M manual, after ARQMath's tables."""
        return self.run.kind[0].upper() + ("M" if self.run.method == Run.Method.MANUAL else "")


class Table(NamedTuple):
    """Runs that are scored with the same measures."""

    measures: tuple[str, ...]
    lines: list[Line]


def tables(evaluation: Evaluation, sort: str = "") -> dict[str, Table]:
    """The tables of an evaluation: ``main`` and, where there are written answers, ``written``, with the runs that
    have no judged topic too. Without a measure to sort by: baselines, then teams by their best run, then runs by
    the first measure (as the labs do)."""
    runs = list(evaluation.qrels.pool.campaign.runs.filter(created__lte=evaluation.created))
    means = mean_values(evaluation)
    groups = {
        "main": (measures.MEASURES, [run for run in runs if not run.is_written]),
        "written": (measures.WRITTEN_MEASURES, [run for run in runs if run.is_written]),
    }
    return {name: table(names, found, means, sort) for name, (names, found) in groups.items() if found}


def mean_values(evaluation: Evaluation) -> dict[int, dict[str, tuple[float, int]]]:
    """By run and measure: the mean over the topics that were scored, and how many these are."""
    values: defaultdict[int, list[ScoreRow]] = defaultdict(list)
    for run, topic, measure, value in evaluation.scores.order_by("pk").values_list(
        "run_id", "topic_id", "measure", "value"
    ):
        values[run].append(ScoreRow(str(run), topic, measure, value))
    means = {run: measures.mean(rows, {row.topic_id for row in rows}) for run, rows in values.items()}
    return {run: {row.measure: (row.value, row.topics) for row in rows} for run, rows in means.items()}


def table(
    names: tuple[str, ...], runs: Iterable[Run], means: dict[int, dict[str, tuple[float, int]]], sort: str
) -> Table:
    runs = list(runs)
    best = {name: max((means[run.pk][name][0] for run in runs if run.pk in means), default=None) for name in names}
    lines = [line(run, names, means.get(run.pk, {}), best) for run in runs]
    return Table(names, by_measure(lines, sort) if sort in names else by_team(lines, names[0]))


def line(run: Run, names: Iterable[str], means: dict[str, tuple[float, int]], best: dict[str, float | None]) -> Line:
    cells = {name: Cell(means[name][0], means[name][0] == best[name]) for name in names if name in means}
    return Line(run, cells, max((topics for _, topics in means.values()), default=0))


def by_measure(lines: Iterable[Line], measure: str) -> list[Line]:
    """Highest first, runs without a value last, ties by name."""
    return sorted(lines, key=lambda one: (-value_of(one, measure), one.run.name))


def by_team(lines: Iterable[Line], measure: str) -> list[Line]:
    lines = by_measure(lines, measure)
    first: dict[str, int] = {}
    for place, one in enumerate(lines):
        first.setdefault(one.group, place)
    return sorted(lines, key=lambda one: (one.run.kind != Run.Kind.BASELINE, first[one.group]))


def value_of(one: Line, measure: str) -> float:
    return one.cells[measure].value if measure in one.cells else -1.0


def as_file(evaluation: Evaluation) -> str:
    """The means of all runs as a tab-separated table with a header."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(("run", "team", "kind", "method", "data", "measure", "value", "topics"))
    for found in tables(evaluation).values():
        for one in found.lines:
            about = (one.run.name, one.run.team, one.run.kind, one.run.method, one.run.data)
            writer.writerows((*about, name, f"{cell.value:.4f}", one.topics) for name, cell in one.cells.items())
    return text.getvalue()


def left_out(evaluation: Evaluation, run: Run) -> dict[str, list[str]]:
    """The topics of the campaign that the run has no values for, by the reason."""
    release = evaluation.qrels
    lines = QrelsLine.objects.filter(qrels=release)
    judged = set(lines.filter(unit=UNIT_OF_FORMAT[Run.Format(run.format)]).values_list("topic_id", flat=True))
    released = set(lines.values_list("topic_id", flat=True))
    official = Judgment.objects.filter(assignment__round__pool=release.pool, assignment__official=True)
    graded = official.filter(grade__isnull=False, created__lte=release.created)
    reasons = [
        ("the run holds nothing that is judged", judged),
        ("no written answer to it is judged", released),
        (
            f"fewer than {release.protocol['min_relevant']} relevant units, so left out of the release",
            set(graded.values_list("assignment__topic__topic_id", flat=True)),
        ),
    ]
    scored = set(evaluation.scores.filter(run=run).values_list("topic_id", flat=True))
    found: defaultdict[str, list[str]] = defaultdict(list)
    for topic in release.pool.campaign.topics.exclude(topic_id__in=scored):
        reason = next((reason for reason, topics in reasons if topic.topic_id in topics), "nothing was graded")
        found[reason].append(topic.topic_id)
    return dict(found)


def by_topic(evaluation: Evaluation, run: Run) -> list[tuple[str, dict[str, float]]]:
    """The values of one run for each topic it was scored on."""
    values: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for topic, measure, value in (
        evaluation.scores.filter(run=run).order_by("pk").values_list("topic_id", "measure", "value")
    ):
        values[topic][measure] = value
    return sorted(values.items(), key=lambda row: (topic_number(row[0]), row[0]))
