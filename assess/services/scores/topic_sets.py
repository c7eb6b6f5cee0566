"""The sets of topics over which runs are averaged: those of an evaluation, and of other evaluations beside it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser, User

from assess.ir.common.rows import ScoreRow
from assess.ir.releases.release_options import ADDITIONAL, TEST
from assess.ir.scores import measures
from assess.ir.scores.definitions import JUDGED
from assess.models import Evaluation, Member, RankProfile, Run
from assess.services.releases import derivation

WHOLE = "all"


class Mean(NamedTuple):
    """The mean of a measure, and the number of topics that it is over."""

    value: float
    topics: int


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
        whole = str(self.evaluation.campaign)
        return f"{whole}, {self.about}" if self.about else whole


class SetMeans(NamedTuple):
    """A set of topics with the means of runs by measure, and the keys of these runs in the set's campaign, by their
    present name."""

    choice: TopicSet
    means: Mapping[str, Mapping[str, Mean]]
    run_keys: Mapping[str, int]


def offered_sets(evaluation: Evaluation, user: User | AnonymousUser) -> list[TopicSet]:
    """The sets that can be shown beside each other, the oldest edition first: all topics of the release; its test and
    additional topics, if it has additional ones; and those of other releases, in all campaigns that the user organizes
    and that have a run of the same name: by the latest evaluation, if possible one with the same options. In a fixed
    number of queries."""

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
    """The sets with the means of all runs, also of judged@10; of these measures only where a set has topics of its own.
    In three queries, and one more for each such set."""
    campaigns = {choice.evaluation.qrels.pool.campaign_id for choice in chosen}
    keys: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for campaign, pk, name in Run.objects.filter(campaign__in=campaigns).values_list("campaign", "pk", "name"):
        keys[campaign][name] = pk
    stored = Evaluation.objects.filter(pk__in=[choice.evaluation.pk for choice in chosen])
    rows_of = dict(stored.values_list("pk", "means"))
    profiles = RankProfile.objects.filter(evaluation__in=rows_of).values_list("evaluation_id", "run_id", "judged")
    sets = []
    for choice in chosen:
        run_keys = keys[choice.evaluation.qrels.pool.campaign_id]
        rows = rows_of[choice.evaluation.pk] if choice.topics is None else means_over_topics(choice, names)
        means = means_by_run([*mean_judged(choice, profiles), *rows])
        sets.append(SetMeans(choice, {name: means[pk] for name, pk in run_keys.items() if pk in means}, run_keys))
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
    means: defaultdict[int, dict[str, Mean]] = defaultdict(dict)
    for row in rows:
        means[row["run_id"]][row["measure"]] = Mean(row["value"], row["topics"])
    return dict(means)


def means_over_topics(choice: TopicSet, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The means over the topics of a set, in the form in which an evaluation stores its own."""
    scores = choice.evaluation.scores.filter(measure__in=measures.parts_of(names), topic_id__in=choice.topics or ())
    rows: defaultdict[int, list[ScoreRow]] = defaultdict(list)
    for run, topic, measure, value in scores.order_by("pk").values_list("run_id", "topic_id", "measure", "value"):
        rows[run].append(ScoreRow("", topic, measure, value))
    for run, of_run in rows.items():
        yield from ({**mean._asdict(), "run_id": run} for mean in measures.means(of_run, names))
