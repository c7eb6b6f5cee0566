"""What the pool would be and cost with other depths: computed when the page asks, and not stored."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models import Avg, Count

from assess.ir.campaign.presets import Protocol
from assess.ir.pool.contributions import PoolContribution, brought_into, count_contributions, overlap_of_runs
from assess.ir.pool.lab_seconds import lab_pace
from assess.ir.pool.pooling import UNIT, TopicSize, chosen_documents, count_pool, topic_sizes
from assess.models import Campaign, Judgment, Run
from assess.services.campaign.campaigns import DEMO
from assess.services.pool import pools

MIN_JUDGMENTS = 20
"""The mean of fewer judgments says little about the next ones."""
STEP = 5
"""How much deeper the pools are that show what more depth adds."""

Sizes = dict[str, Any]
"""The fields of a protocol that set how much is pooled (``Protocol.sizes``)."""


class PaceEstimate(NamedTuple):
    """Seconds of a judgment, and where they were measured: ``here`` in this campaign, ``elsewhere`` in others of this
    installation (over so many ``judgments``), or in a ``lab`` (``source``)."""

    seconds: float
    judgments: int = 0
    where: str = "here"
    source: str = ""


class PlannedSize(NamedTuple):
    """How much there is to judge with these sizes."""

    sizes: Sizes
    units: int
    documents: int


class PoolPlan(NamedTuple):
    """The pool that was asked for, by topic, run and team, with the overlap of its runs; and how much there would be to
    judge with these sizes, with others for comparison."""

    topics: list[TopicSize]
    runs: list[tuple[Run, PoolContribution]]
    teams: list[PoolContribution]
    overlap: list[list[float | None]]
    rows: list[PlannedSize]


def sizes_of(rules: Protocol) -> Sizes:
    return {name: getattr(rules, name) for name in rules.sizes}


def plan_pool(campaign: Campaign, sizes: Sizes) -> PoolPlan:
    """The pool with these sizes. Compared with it are the pools that are deeper by ``STEP`` in one of them, and the
    protocol's. Raises Refused if runs or topics are missing."""
    runs = list(campaign.runs.pooled())
    pooled = pools.pooled_runs(campaign, lambda *_: None)
    rules = replace(campaign.rules, **sizes)
    documents = chosen_documents(pooled, rules, campaign.seed)
    brought = brought_into(documents.select(UNIT).unique(), pooled, rules)
    others = [sizes | {name: size + STEP} for name, size in sizes.items()]
    others += [own] if (own := sizes_of(campaign.rules)) not in (sizes, *others) else []
    topics = topic_sizes(documents)
    asked = PlannedSize(sizes, sum(topic.units for topic in topics), sum(topic.documents for topic in topics))
    return PoolPlan(
        topics,
        list(zip(runs, count_contributions(brought, [run.name for run in runs]), strict=True)),
        count_contributions(brought, [run.team for run in runs]),
        overlap_of_runs(brought, len(runs)),
        [asked, *(PlannedSize(each, *count_pool(pooled, replace(rules, **each), campaign.seed)) for each in others)],
    )


def estimate_pace(campaign: Campaign) -> PaceEstimate:
    """Seconds of attention per judgment: measured in this campaign, else in others with its task on this installation
    (except the demo, whose judgments are supplied), else in a lab."""
    timed = Judgment.objects.filter(active_ms__gt=0)
    here = timed.filter(assignment__round__pool__campaign=campaign)
    others = timed.exclude(assignment__round__pool__campaign__slug__in=DEMO)
    elsewhere = others.filter(assignment__round__pool__campaign__protocol__task=campaign.rules.task)
    for where, judgments in (("here", here), ("elsewhere", elsewhere)):
        timing = judgments.aggregate(mean=Avg("active_ms"), judgments=Count("pk"))
        if timing["judgments"] >= MIN_JUDGMENTS:
            return PaceEstimate(round(timing["mean"] / 1000, 1), timing["judgments"], where)
    lab = lab_pace(campaign.rules)
    return PaceEstimate(lab.seconds, 0, "lab", lab.source)


def judging_hours(documents: int, seconds: float) -> float:
    return documents * seconds / 3600


def spread_of(counts: Iterable[int]) -> dict[str, float]:
    """The minimum, mean and maximum; all 0 for no numbers."""
    numbers = list(counts) or [0]
    return {"least": min(numbers), "mean": sum(numbers) / len(numbers), "most": max(numbers)}
