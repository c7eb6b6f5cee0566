"""Results as tables with a row for each run, as the labs' overview papers print them, over sets of topics side by
side: those of an evaluation, and of other evaluations."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser, User

from assess.ir.common.rows import MeanScore, ScoreRow, nested
from assess.ir.releases.differences import Move, moves
from assess.ir.releases.release_options import ADDITIONAL, TEST
from assess.ir.scores import definitions, measures
from assess.ir.scores.correlation import Correlations, between_measures
from assess.ir.scores.definitions import JUDGED, LEAST_JUDGED
from assess.models import Evaluation, Member, Qrels, RankProfile, Run
from assess.services.releases import derivation

WHOLE = "all"


class Mean(NamedTuple):
    """The mean of a measure, and the number of topics that it is over."""

    value: float
    topics: int


class TopicSet(NamedTuple):
    """A set of topics to show: ``key`` is its name in addresses, ``topics`` those of the evaluation, None for all."""

    key: str
    evaluation: Evaluation
    topics: frozenset[str] | None = None
    about: str = ""

    @property
    def name(self) -> str:
        """As a table names it beside those of other editions."""
        whole = str(self.evaluation.campaign)
        return f"{whole}, {self.about}" if self.about else whole


SetMeans = Mapping[str, tuple[int, Mapping[str, Mean]]]
"""By the present name of a run: its key in the campaign of a set of topics, and its means there by measure."""
Column = tuple[str, str]
"""The key of a set of topics, and a measure."""


def offered_sets(evaluation: Evaluation, user: User | AnonymousUser) -> list[TopicSet]:
    """The sets to show beside each other, the oldest edition first: all topics of the release, its test and additional
    ones, if it has these; and those of other releases in all campaigns that the user organizes and that have a run of
    the same name, by the latest evaluation, if possible with the same options. In a fixed number of queries."""

    def place(topic_set: TopicSet) -> tuple[str, int, int]:
        campaign = topic_set.evaluation.campaign
        return campaign.edition, campaign.pk, topic_set.evaluation.qrels.version

    return sorted([*sets_of_others(evaluation, user), *own_sets(evaluation)], key=place)  # the order of own ones stays


def own_sets(evaluation: Evaluation) -> list[TopicSet]:
    whole = TopicSet(WHOLE, evaluation)
    kinds = derivation.kinds_not_by_rule(evaluation.qrels.pool)
    extra = frozenset(topic for topic, kind in kinds.items() if kind == ADDITIONAL)
    scored = frozenset(evaluation.scores.order_by().values_list("topic_id", flat=True).distinct()) if extra else extra
    if not extra & scored or not scored - extra:
        return [whole]
    test = TopicSet(TEST, evaluation, scored - extra, "test topics")
    return [test, TopicSet(ADDITIONAL, evaluation, scored & extra, "additional topics"), whole]


def sets_of_others(evaluation: Evaluation, user: User | AnonymousUser) -> list[TopicSet]:
    related = Run.objects.filter(name__in=evaluation.campaign.runs.values("name")).values("campaign")
    organized = Member.objects.filter(user_id=user.pk or 0, role=Member.Role.ORGANIZER).values("campaign")
    visible = Evaluation.objects.filter(qrels__pool__campaign__in=organized).filter(qrels__pool__campaign__in=related)
    others = visible.exclude(qrels=evaluation.qrels_id).select_related("qrels__pool__campaign").defer("means")
    best: dict[int, Evaluation] = {}
    for other in sorted(others, key=lambda other: other.options != evaluation.options):  # of each, the latest is first
        best.setdefault(other.qrels_id, other)
    return [TopicSet(str(other.pk), other, about=str(other.qrels).lower()) for other in best.values()]


def means_over(chosen: Sequence[TopicSet], names: Sequence[str]) -> list[SetMeans]:
    """The means of all runs over each set, also of judged@10; of these measures only where a set has topics of its own.
    In three queries, and one more for each such set."""
    campaigns = {choice.evaluation.qrels.pool.campaign_id for choice in chosen}
    keys = nested(Run.objects.filter(campaign__in=campaigns).values_list("campaign", "name", "pk"))
    stored = Evaluation.objects.filter(pk__in=[choice.evaluation.pk for choice in chosen])
    rows_of = dict(stored.values_list("pk", "means"))
    profiles = RankProfile.objects.filter(evaluation__in=rows_of).values_list("evaluation_id", "run_id", "judged")
    sets: list[SetMeans] = []
    for choice in chosen:
        rows = rows_of[choice.evaluation.pk] if choice.topics is None else means_over_topics(choice, names)
        means = means_by_run([*mean_judged(choice, profiles), *rows])
        of_campaign = keys[choice.evaluation.qrels.pool.campaign_id]
        sets.append({name: (pk, means[pk]) for name, pk in of_campaign.items() if pk in means})
    return sets


def mean_judged(choice: TopicSet, profiles: Iterable[tuple[int, int, dict[str, float]]]) -> Iterator[dict[str, Any]]:
    """Judged@10 over the topics of a set, in the form in which an evaluation stores its means."""
    for evaluation, run, judged in profiles:
        values = [value for topic, value in judged.items() if choice.topics is None or topic in choice.topics]
        if evaluation == choice.evaluation.pk and values:
            mean = sum(values) / len(values)
            yield {"run_id": run, "measure": JUDGED, "value": mean, "topics": len(values)}


def means_by_run(rows: Iterable[Mapping[str, Any]]) -> dict[int, dict[str, Mean]]:
    """Stored means by the key of the run, and measure."""
    return dict(nested((row["run_id"], row["measure"], Mean(row["value"], row["topics"])) for row in rows))


def means_over_topics(choice: TopicSet, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The means over the topics of a set, in the form in which an evaluation stores its own."""
    scores = choice.evaluation.scores.filter(measure__in=measures.parts_of(names), topic_id__in=choice.topics or ())
    stored = scores.order_by("pk").values_list("run_id", "topic_id", "measure", "value")
    rows = [ScoreRow(str(run), topic, measure, value) for run, topic, measure, value in stored]
    for mean in measures.means(rows, names):
        yield {**mean._asdict(), "run_id": int(mean.run)}


class RunMean(NamedTuple):
    """A mean; ``best``: the highest in its column; ``is_low``: a judged@10 that leaves much to guesswork."""

    value: float
    topics: int
    best: bool
    is_low: bool


class RunMeans(NamedTuple):
    """A run's cells in one set of topics, measure by measure, with the number of topics that most of them are over, and
    the key of the run in the set's campaign. A cell is None, and so is the key, if the run has no value there."""

    cells: list[RunMean | None]
    topics: int
    run_key: int | None


class ResultsRow(NamedTuple):
    """A run with an entry for each set. ``is_pooled``: it took part in the pool; of others, more is unjudged."""

    run: Run
    entries: list[RunMeans]
    is_pooled: bool

    @property
    def group(self) -> str:
        """The team; empty for baselines."""
        return "" if self.run.kind == Run.Kind.BASELINE else self.run.team

    @property
    def flags(self) -> str:
        """As in ARQMath's tables: P primary; bP or bA for a baseline pooled as a primary or an alternate run, b for one
        that is not pooled; M manual; G generated answers. Alternate runs have none."""
        run = self.run
        role = {"primary": "P", "1": "P", "none": ""}.get(run.pool_role, "A")
        kind = {"primary": "P", "baseline": f"b{role}"}.get(run.kind, "")
        return kind + "M" * (run.method == Run.Method.MANUAL) + "G" * (run.answers == Run.Answers.GENERATED)


class ResultsTable(NamedTuple):
    """Runs with the same measures over the same sets. ``main``: the set that teams are ordered by; ``order``: the
    column that rows are ordered by, None if runs are grouped by team."""

    sets: Sequence[TopicSet]
    main: TopicSet
    measures: Sequence[str]
    rows: list[ResultsRow]
    order: Column | None


def measures_with_means(evaluation: Evaluation) -> list[str]:
    with_mean = {row["measure"] for row in evaluation.means}
    return [name for name in dict.fromkeys([*evaluation.measures, *evaluation.written_measures]) if name in with_mean]


def with_topic_values(names: Iterable[str]) -> list[str]:
    """The measures among these that have a value for each topic, and not only a mean."""
    return [name for name in names if not definitions.find_measure(name).of_means]


def scored_runs(evaluation: Evaluation) -> list[Run]:
    """The runs that there were when it was made, without those withdrawn since."""
    return list(evaluation.campaign.entered_runs().filter(created__lte=evaluation.created))


def correlate_measures(evaluation: Evaluation, names: Iterable[str]) -> list[Correlations]:
    """Whether these measures agree about the runs, by the means of all runs that are not withdrawn."""
    of_runs = means_by_run(evaluation.means)
    means = {str(run): of_runs[run.pk] for run in scored_runs(evaluation) if run.pk in of_runs}
    return between_measures({name: {run: of[name].value for run, of in means.items() if name in of} for name in names})


def results_tables(
    evaluation: Evaluation, chosen: Sequence[TopicSet] = (), names: Collection[str] = (), order: Column | None = None
) -> dict[str, ResultsTable]:
    """The tables of an evaluation: ``main`` and, if there are written answers, ``written``; over these sets, by default
    over the whole evaluation, and with these of its measures, by default all, and with judged@10. They include runs
    without judged topics. Without an order, they have baselines first, then teams by their best run, as in the labs."""
    chosen, runs = chosen or [TopicSet(WHOLE, evaluation)], scored_runs(evaluation)
    main, written = (
        [name for name in known if name in names] or known
        for known in (evaluation.measures, evaluation.written_measures)
    )
    sets = means_over(chosen, [*main, *written])
    if any(JUDGED in means for of_set in sets for _, means in of_set.values()):
        main = list(dict.fromkeys([*main, JUDGED]))
    tables = {}
    for key, is_written, of_kind in (("main", False, main), ("written", True, written)):
        if group := [run for run in runs if run.is_written == is_written]:
            tables[key] = results_table(evaluation, of_kind, group, dict(zip(chosen, sets, strict=True)), order)
    return tables


def results_table(
    evaluation: Evaluation, names: list[str], runs: list[Run], sets: dict[TopicSet, SetMeans], order: Column | None
) -> ResultsTable:
    """Rows are sorted by a column: highest first, runs without a value last, ties by name."""
    best = [[highest_mean(of_set, runs, name) for name in names] for of_set in sets.values()]
    not_pooled = evaluation.qrels.pool.rules.left_out
    rows = [
        ResultsRow(
            run,
            [means_of(run, names, *pair) for pair in zip(sets.values(), best, strict=True)],
            run.pool_role not in not_pooled and run.pk not in evaluation.not_pooled,
        )
        for run in runs
    ]
    chosen = list(sets)
    main, columns = main_set(evaluation, chosen), [(choice.key, name) for choice in chosen for name in names]
    order = order if order in columns else None
    topic_set, measure = divmod(columns.index(order or (main.key, names[0])), len(names))

    def place(row: ResultsRow) -> tuple[float, str]:
        cell = row.entries[topic_set].cells[measure]
        return -cell.value if cell else inf, row.run.name

    rows.sort(key=place)
    if not order:
        teams = list(dict.fromkeys(row.group for row in rows))
        rows.sort(key=lambda row: (row.run.kind != Run.Kind.BASELINE, teams.index(row.group)))
    return ResultsTable(chosen, main, names, rows, order)


def main_set(evaluation: Evaluation, chosen: Sequence[TopicSet]) -> TopicSet:
    """The set that teams are ordered by: the evaluation's own topics, all of them if they are shown."""
    return next((topic_set for topic_set in reversed(chosen) if topic_set.evaluation == evaluation), chosen[-1])


def highest_mean(of_set: SetMeans, runs: Iterable[Run], measure: str) -> float | None:
    """None of how much is judged: more of it is no better run."""
    if definitions.find_measure(measure).family == "judged":
        return None
    means = [of_set[run.name][1] for run in runs if run.name in of_set]
    return max((mean[measure].value for mean in means if measure in mean), default=None)


def means_of(run: Run, names: Iterable[str], of_set: SetMeans, best: list[float | None]) -> RunMeans:
    key, means = of_set.get(run.name, (None, {}))
    cells = [
        RunMean(*mean, mean.value == highest, name == JUDGED and mean.value < LEAST_JUDGED)
        if (mean := means.get(name))
        else None
        for name, highest in zip(names, best, strict=True)
    ]
    return RunMeans(cells, max((mean.topics for name, mean in means.items() if name != JUDGED), default=0), key)


def run_changes(first: Qrels, second: Qrels) -> list[Move]:
    """The moves of the runs between the latest evaluations of two releases with the same options; none without such."""
    before, after = (latest_by_options(release) for release in (first, second))
    common = next((options for options in after if options in before), None)
    return moves(means_of_runs(before[common]), means_of_runs(after[common])) if common else []


def latest_by_options(release: Qrels) -> dict[tuple[Any, ...], Evaluation]:
    """By the mean and what else was chosen. The lowest relevant grade is the release's."""
    latest: dict[tuple[Any, ...], Evaluation] = {}
    for evaluation in release.evaluations.filter(level=release.protocol["level"]):
        options = tuple(value for name, value in evaluation.options.items() if name != "level")
        latest.setdefault(options, evaluation)
    return latest


def means_of_runs(evaluation: Evaluation) -> list[MeanScore]:
    """Under the present names of the runs."""
    names = dict(evaluation.campaign.entered_runs().values_list("pk", "name"))
    rows = [row for row in evaluation.means if row["run_id"] in names]
    return [MeanScore(names[row["run_id"]], row["measure"], row["value"], row["topics"]) for row in rows]
