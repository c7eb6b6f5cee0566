"""The sets of topics over which runs are averaged: those of an evaluation, and of other evaluations beside it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser, User

from assess.ir.common.rows import ScoreRow
from assess.ir.releases.retention import ADDITIONAL, TEST
from assess.ir.scores import definitions, measures
from assess.models import Evaluation, Member, Run
from assess.services.releases import derivation

WHOLE = "all"


class Mean(NamedTuple):
    """The mean of a measure, and the number of topics that it is over."""

    value: float
    topics: int


Means = Mapping[str, Mapping[str, Mean]]
"""By the name of a run, and measure."""


class TopicSet(NamedTuple):
    """A set of topics that can be shown. ``key``: its name in addresses; ``topics``: those of the evaluation that are
    in it, None for all."""

    key: str
    evaluation: Evaluation
    topics: frozenset[str] | None = None
    about: str = ""

    @property
    def name(self) -> str:
        """As a table names it beside those of other editions."""
        whole = str(self.evaluation.qrels.pool.campaign)
        return f"{whole}, {self.about}" if self.about else whole


class SetMeans(NamedTuple):
    """A set of topics with the means of runs, and the keys of these runs in the set's campaign, by name."""

    choice: TopicSet
    means: Means
    run_keys: Mapping[str, int]


def choices(evaluation: Evaluation, user: User | AnonymousUser) -> list[TopicSet]:
    """The sets that can be shown beside each other, the oldest edition first: all topics of the release; its test and
    additional topics, if it has additional ones; and those of other releases, in all campaigns that the user organizes
    and that have a run of the same name: by the latest evaluation, if possible one with the same options. In a fixed
    number of queries."""
    sets = [*others(evaluation, user), *own(evaluation)]
    return sorted(sets, key=lambda choice: place_of(choice.evaluation))  # the order of own ones stays


def place_of(evaluation: Evaluation) -> tuple[str, int, int]:
    campaign = evaluation.qrels.pool.campaign
    return campaign.edition, campaign.pk, evaluation.qrels.version


def own(evaluation: Evaluation) -> list[TopicSet]:
    whole = TopicSet(WHOLE, evaluation)
    kinds = derivation.kinds_not_by_rule(evaluation.qrels.pool)
    extra = frozenset(topic for topic, kind in kinds.items() if kind == ADDITIONAL)
    scored = frozenset(evaluation.scores.order_by().values_list("topic_id", flat=True).distinct()) if extra else extra
    if not extra & scored or not scored - extra:
        return [whole]
    test = TopicSet(TEST, evaluation, scored - extra, "test topics")
    return [test, TopicSet(ADDITIONAL, evaluation, scored & extra, "additional topics"), whole]


def others(evaluation: Evaluation, user: User | AnonymousUser) -> list[TopicSet]:
    campaign = evaluation.qrels.pool.campaign
    related = Run.objects.filter(name__in=campaign.runs.values("name")).values("campaign")
    organized = Member.objects.filter(user_id=user.pk or 0, role=Member.Role.ORGANIZER).values("campaign")
    visible = Evaluation.objects.filter(qrels__pool__campaign__in=organized).filter(qrels__pool__campaign__in=related)
    evaluations = list(
        visible.exclude(qrels=evaluation.qrels_id).select_related("qrels__pool__campaign").defer("means")
    )
    evaluations.sort(key=lambda other: options_of(other) != options_of(evaluation))  # the latest stays first of each
    best: dict[int, Evaluation] = {}
    for other in evaluations:
        best.setdefault(other.qrels_id, other)
    return [TopicSet(str(other.pk), other, about=str(other.qrels).lower()) for other in best.values()]


def options_of(evaluation: Evaluation) -> tuple[object, ...]:
    """Every choice that changes a number."""
    return evaluation.average, evaluation.level, evaluation.gain, evaluation.order


def topic_sets(chosen: Sequence[TopicSet], names: Sequence[str]) -> list[SetMeans]:
    """The sets with the means of all runs; of these measures only where a set has topics of its own. In three queries,
    and one more for each such set."""
    campaigns = {choice.evaluation.qrels.pool.campaign_id for choice in chosen}
    runs: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for campaign, pk, name in Run.objects.filter(campaign__in=campaigns).values_list("campaign", "pk", "name"):
        runs[campaign][pk] = name
    stored = Evaluation.objects.filter(pk__in=[choice.evaluation.pk for choice in chosen]).values_list("pk", "means")
    means = dict(stored)
    sets = []
    for choice in chosen:
        run_names = runs[choice.evaluation.qrels.pool.campaign_id]
        rows = means[choice.evaluation.pk] if choice.topics is None else averaged(choice, names)
        sets.append(SetMeans(choice, by_run(rows, run_names), {name: pk for pk, name in run_names.items()}))
    return sets


def by_run(rows: Iterable[Mapping[str, Any]], names: Mapping[int, str]) -> Means:
    """Stored means by the present name of their run, which may have been renamed since."""
    means: defaultdict[str, dict[str, Mean]] = defaultdict(dict)
    for row in rows:
        means[names.get(row["run_id"], row["run"])][row["measure"]] = Mean(row["value"], row["topics"])
    return means


def averaged(choice: TopicSet, names: Sequence[str]) -> list[dict[str, Any]]:
    """The means over the topics of a set, in the form in which an evaluation stores its own."""
    assert choice.topics is not None
    parts = [part for name in names for part in definitions.find_measure(name).of_means or (name,)]
    scores = choice.evaluation.scores.filter(measure__in=parts, topic_id__in=choice.topics).order_by("pk")
    by_run: defaultdict[int, list[ScoreRow]] = defaultdict(list)
    for run, topic, measure, value in scores.values_list("run_id", "topic_id", "measure", "value"):
        by_run[run].append(ScoreRow("", topic, measure, value))
    return [{**mean._asdict(), "run_id": run} for run, rows in by_run.items() for mean in measures.means(rows, names)]
