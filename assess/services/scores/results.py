"""Results as tables with a row for each run, as the labs' overview papers print them."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from assess.ir.formats.table import write_table
from assess.ir.scores import definitions
from assess.models import Evaluation, Run
from assess.services.scores.topic_sets import WHOLE, Mean, SetMeans, TopicSet, by_run, topic_sets


class RunMean(NamedTuple):
    """The mean of a measure over ``topics`` topics; ``best``: the highest in its column."""

    value: float
    topics: int
    best: bool


class RunMeans(NamedTuple):
    """A run's cells in one set of topics, measure by measure, with the number of topics that most of them are over, and
    the key of the run in the set's campaign. A cell is None, and so is the key, if the run has no value there."""

    cells: list[RunMean | None]
    topics: int
    run_key: int | None


class ResultsRow(NamedTuple):
    """A run with an entry for each set. ``is_pooled``: it took part in the pool; more of a late or unofficial run is
    unjudged."""

    run: Run
    entries: list[RunMeans]
    is_pooled: bool

    @property
    def group(self) -> str:
        """The team; empty for baselines."""
        return "" if self.run.kind == Run.Kind.BASELINE else self.run.team


class Order(NamedTuple):
    """The column that rows are ordered by: a measure over the set with this key."""

    topic_set: str
    measure: str


class ResultsTable(NamedTuple):
    """Runs with the same measures over the same sets. ``main``: the set that teams are ordered by; ``order`` is None if
    runs are grouped by team."""

    sets: list[TopicSet]
    main: TopicSet
    measures: tuple[str, ...]
    rows: list[ResultsRow]
    order: Order | None


def flags(run: Run) -> str:
    """As in ARQMath's tables: P primary; bP or bA for a baseline pooled as a primary or an alternate run, b for one
    that is not pooled; M manual; G generated answers. Alternate runs have none."""
    role = {Run.PoolRole.PRIMARY: "P", Run.PoolRole.ALTERNATE: "A"}.get(Run.PoolRole(run.pool_role), "")
    kind = {Run.Kind.PRIMARY: "P", Run.Kind.BASELINE: f"b{role}"}.get(Run.Kind(run.kind), "")
    manual, generated = run.method == Run.Method.MANUAL, run.answers == Run.Answers.GENERATED
    return kind + "M" * manual + "G" * generated


def measured(evaluation: Evaluation) -> list[str]:
    """The measures that an evaluation has means of."""
    with_mean = {row["measure"] for row in evaluation.means}
    return [name for name in dict.fromkeys([*evaluation.measures, *evaluation.written_measures]) if name in with_mean]


def of_topics(names: Iterable[str]) -> list[str]:
    """The measures among these that have a value for each topic, and not only a mean."""
    return [name for name in names if not definitions.find_measure(name).of_means]


def means_of(evaluation: Evaluation, run: Run) -> dict[str, Mean]:
    """By measure."""
    return dict(by_run(evaluation.means, {run.pk: run.name}).get(run.name, {}))


def runs_of(evaluation: Evaluation) -> list[Run]:
    """The runs that there were when it was made."""
    return list(evaluation.qrels.pool.campaign.runs.filter(created__lte=evaluation.created))


def tables(
    evaluation: Evaluation,
    chosen: Sequence[TopicSet] = (),
    names: Collection[str] = (),
    order: Order | None = None,
) -> dict[str, ResultsTable]:
    """The tables of an evaluation: ``main`` and, if there are written answers, ``written``; over these sets, by default
    over the whole evaluation, and with these of its measures, by default all. They include runs without judged topics.
    Without an order, they have baselines first, then teams by their best run, as in the labs."""
    runs = runs_of(evaluation)
    groups = {
        "main": (evaluation.measures, [run for run in runs if not run.is_written]),
        "written": (evaluation.written_measures, [run for run in runs if run.is_written]),
    }
    measures = {key: [name for name in known if name in names] or known for key, (known, _) in groups.items()}
    sets = topic_sets(chosen or [TopicSet(WHOLE, evaluation)], [*measures["main"], *measures["written"]])
    return {
        key: table(evaluation, tuple(measures[key]), group, sets, order) for key, (_, group) in groups.items() if group
    }


def table(
    evaluation: Evaluation, names: tuple[str, ...], runs: list[Run], sets: list[SetMeans], order: Order | None
) -> ResultsTable:
    best = [[highest(means, runs, name) for name in names] for means in sets]
    rows = [
        ResultsRow(run, [entry(run, names, *pair) for pair in zip(sets, best, strict=True)], is_pooled(evaluation, run))
        for run in runs
    ]
    chosen = [means.choice for means in sets]
    keys = [means.key for means in chosen]
    main = main_set(evaluation, chosen)
    if order and order.topic_set in keys and order.measure in names:
        rows = by_measure(rows, keys.index(order.topic_set), names.index(order.measure))
    else:
        order, rows = None, by_team(rows, chosen.index(main))
    return ResultsTable(chosen, main, names, rows, order)


def is_pooled(evaluation: Evaluation, run: Run) -> bool:
    return run.pool_role != Run.PoolRole.NONE and run.pk not in evaluation.not_pooled


def main_set(evaluation: Evaluation, chosen: Sequence[TopicSet]) -> TopicSet:
    """The set that teams are ordered by: the evaluation's own topics, all of them if they are shown."""
    return next((topic_set for topic_set in reversed(chosen) if topic_set.evaluation == evaluation), chosen[-1])


def highest(topic_set: SetMeans, runs: Iterable[Run], measure: str) -> float | None:
    """None of how much is judged: more of it is no better run."""
    if definitions.find_measure(measure).family == "judged":
        return None
    means = [topic_set.means.get(run.name, {}) for run in runs]
    return max((mean[measure].value for mean in means if measure in mean), default=None)


def entry(run: Run, names: Iterable[str], topic_set: SetMeans, best: list[float | None]) -> RunMeans:
    means = topic_set.means.get(run.name, {})
    cells = [
        RunMean(means[name].value, means[name].topics, means[name].value == highest) if name in means else None
        for name, highest in zip(names, best, strict=True)
    ]
    topics = max((mean.topics for mean in means.values()), default=0)
    return RunMeans(cells, topics, topic_set.run_keys.get(run.name) if means else None)


def by_measure(rows: Iterable[ResultsRow], topic_set: int, measure: int = 0) -> list[ResultsRow]:
    """Highest first, runs without a value last, ties by name; set and measure by their places."""

    def key(row: ResultsRow) -> tuple[float, str]:
        cell = row.entries[topic_set].cells[measure]
        return -cell.value if cell else float("inf"), row.run.name

    return sorted(rows, key=key)


def by_team(rows: Iterable[ResultsRow], topic_set: int) -> list[ResultsRow]:
    rows = by_measure(rows, topic_set)
    first: dict[str, int] = {}
    for place, row in enumerate(rows):
        first.setdefault(row.group, place)
    return sorted(rows, key=lambda row: (row.run.kind != Run.Kind.BASELINE, first[row.group]))


def as_file(evaluation: Evaluation) -> str:
    """All means of all runs as a tab-separated table with a line for each."""
    rows: list[Sequence[object]] = [
        ("run", "team", "kind", "method", "data", "pool_role", "measure", "value", "topics")
    ]
    runs = {run.name: run for run in runs_of(evaluation)}
    [whole] = topic_sets([TopicSet(WHOLE, evaluation)], ())
    for name, means in whole.means.items():
        run = runs[name]
        about = (run.name, run.team, run.kind, run.method, run.data, run.pool_role)
        rows += [(*about, measure, mean.value, mean.topics) for measure, mean in means.items()]
    return write_table(rows)
