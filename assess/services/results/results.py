"""An evaluation as tables with a row for each run, grouped by team or sorted by a measure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assess.ir.common.rows import ScoreRow
from assess.ir.formats.table import write_table
from assess.ir.results import measures
from assess.models import Evaluation, Judgment, QrelsLine, Run
from assess.services.campaign.campaigns import topic_number
from assess.services.results.evaluation import UNIT_OF_FORMAT


class Cell(NamedTuple):
    """The mean of a measure; ``best``: the highest in the table."""

    value: float
    best: bool


class ResultsRow(NamedTuple):
    """A run with its means by measure (none without judged topics) and the number of topics averaged over."""

    run: Run
    cells: dict[str, Cell]
    topics: int

    @property
    def group(self) -> str:
        """The team; empty for baselines."""
        return "" if self.run.kind == Run.Kind.BASELINE else self.run.team

    @property
    def flags(self) -> str:
        """P primary, A alternate, B baseline; M manual, as in ARQMath's tables."""
        return self.run.kind[0].upper() + ("M" if self.run.method == Run.Method.MANUAL else "")


class ResultsTable(NamedTuple):
    """Runs scored with the same measures."""

    measures: tuple[str, ...]
    rows: list[ResultsRow]
    is_written: bool


def tables(evaluation: Evaluation, sort: str = "") -> dict[str, ResultsTable]:
    """The tables of an evaluation: ``main`` and, if there are written answers, ``written``. They include runs without
    judged topics. Without a measure to sort by, they have baselines first, then teams by their best run, as in the
    labs."""
    runs = list(evaluation.qrels.pool.campaign.runs.filter(created__lte=evaluation.created))
    means = mean_values(evaluation)
    groups = {
        "main": (evaluation.measures, [run for run in runs if not run.is_written]),
        "written": (evaluation.written_measures, [run for run in runs if run.is_written]),
    }
    return {name: table(tuple(names), chosen, means, sort) for name, (names, chosen) in groups.items() if chosen}


def mean_values(evaluation: Evaluation) -> dict[int, dict[str, tuple[float, int]]]:
    """By run and measure: the mean over the scored topics, and their number."""
    values: defaultdict[int, list[ScoreRow]] = defaultdict(list)
    for run, topic, measure, value in evaluation.scores.order_by("pk").values_list(
        "run_id", "topic_id", "measure", "value"
    ):
        values[run].append(ScoreRow(str(run), topic, measure, value))
    names = [*evaluation.measures, *evaluation.written_measures]
    means = {run: measures.means(rows, names) for run, rows in values.items()}
    return {run: {row.measure: (row.value, row.topics) for row in rows} for run, rows in means.items()}


def table(
    names: tuple[str, ...], runs: Iterable[Run], means: dict[int, dict[str, tuple[float, int]]], sort: str
) -> ResultsTable:
    runs = list(runs)
    best = {name: max((means[run.pk][name][0] for run in runs if run.pk in means), default=None) for name in names}
    rows = [row_of(run, names, means.get(run.pk, {}), best) for run in runs]
    rows = by_measure(rows, sort) if sort in names else by_team(rows, names[0])
    return ResultsTable(names, rows, any(run.is_written for run in runs))


def row_of(
    run: Run, names: Iterable[str], means: dict[str, tuple[float, int]], best: dict[str, float | None]
) -> ResultsRow:
    cells = {name: Cell(means[name][0], means[name][0] == best[name]) for name in names if name in means}
    return ResultsRow(run, cells, max((topics for _, topics in means.values()), default=0))


def by_measure(rows: Iterable[ResultsRow], measure: str) -> list[ResultsRow]:
    """Highest first, runs without a value last, ties by name."""

    def key(row: ResultsRow) -> tuple[float, str]:
        return -row.cells[measure].value if measure in row.cells else 1.0, row.run.name

    return sorted(rows, key=key)


def by_team(rows: Iterable[ResultsRow], measure: str) -> list[ResultsRow]:
    rows = by_measure(rows, measure)
    first: dict[str, int] = {}
    for place, row in enumerate(rows):
        first.setdefault(row.group, place)
    return sorted(rows, key=lambda row: (row.run.kind != Run.Kind.BASELINE, first[row.group]))


def as_file(evaluation: Evaluation) -> str:
    """The means of all runs as a tab-separated table with a header."""
    rows: list[Sequence[object]] = [("run", "team", "kind", "method", "data", "measure", "value", "topics")]
    for row in (row for table in tables(evaluation).values() for row in table.rows):
        run = (row.run.name, row.run.team, row.run.kind, row.run.method, row.run.data)
        rows += [(*run, name, cell.value, row.topics) for name, cell in row.cells.items()]
    return write_table(rows)


def left_out(evaluation: Evaluation, run: Run) -> dict[str, list[str]]:
    """The topics of the campaign without values of the run, by reason."""
    release = evaluation.qrels
    lines = QrelsLine.objects.filter(qrels=release)
    judged = set(lines.filter(unit=UNIT_OF_FORMAT[Run.Format(run.format)]).values_list("topic_id", flat=True))
    released = set(lines.values_list("topic_id", flat=True))
    official = Judgment.objects.filter(assignment__round__pool=release.pool, assignment__official=True)
    graded = official.filter(grade__isnull=False, created__lte=release.created)
    reasons = [
        ("no judged unit in the run", judged),
        ("no judged written answer", released),
        (
            f"left out of the release: fewer than {release.protocol['min_relevant']} relevant units",
            set(graded.values_list("assignment__topic__topic_id", flat=True)),
        ),
    ]
    scored = set(evaluation.scores.filter(run=run).values_list("topic_id", flat=True))
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for topic in release.pool.campaign.topics.exclude(topic_id__in=scored):
        reason = next((reason for reason, topics in reasons if topic.topic_id in topics), "no grades")
        by_reason[reason].append(topic.topic_id)
    return dict(by_reason)


def by_topic(evaluation: Evaluation, run: Run) -> list[tuple[str, dict[str, float]]]:
    """The values of a run for each scored topic."""
    values: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for topic, measure, value in (
        evaluation.scores.filter(run=run).order_by("pk").values_list("topic_id", "measure", "value")
    ):
        values[topic][measure] = value
    return sorted(values.items(), key=lambda row: (topic_number(row[0]), row[0]))
