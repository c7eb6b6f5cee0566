"""What the pool would be and cost with other depths: computed when the page asks, and not stored."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models import Avg, Count

from assess.ir.campaign.protocol import Protocol
from assess.ir.pool.contributions import TOP, PoolContribution, brought_into, count_contributions, overlap_of_runs
from assess.ir.pool.pooling import UNIT, PooledRun, TopicSize, prefixes, topic_sizes, unit_sizes
from assess.models import Campaign, Judgment, Run
from assess.services.pool import pools

MIN_JUDGMENTS = 20
"""The mean of fewer judgments says little about the next ones."""
STEP = 5
"""How much deeper the pools are that show what more depth adds."""

THESIS = "ARQMath-1, in B. Mansouri's dissertation (2022)"
OVERVIEWS = ("overview of ARQMath-2 (CLEF 2021)", "overview of ARQMath-3 (CLEF 2022)")
LAB_SECONDS = {
    "arqmath1-task1": (63.1, THESIS),
    "arqmath1-task2": (38.1, THESIS),
    "arqmath2-task1": (83.3, OVERVIEWS[0]),
    "arqmath2-task2": (39.5, OVERVIEWS[0]),
    "arqmath3-task1": (44.1, OVERVIEWS[1]),
    "arqmath3-task2": (26.6, OVERVIEWS[1]),
}
"""Mean seconds of a judgment in the labs, and the papers that report them."""
LATEST = {"answers": "arqmath3-task1", "formulas": "arqmath3-task2"}
"""The latest lab with each task."""

Sizes = dict[str, Any]
"""The fields of a protocol that set how much is pooled (``Protocol.sizes``)."""


class PaceEstimate(NamedTuple):
    """Seconds of a judgment, measured in so many ``judgments`` here, else in a lab (``source``), else assumed."""

    seconds: float
    judgments: int = 0
    source: str = ""


class PlannedSize(NamedTuple):
    """How much there is to judge with these sizes; ``more``: units than with those asked for."""

    sizes: Sizes
    units: int
    more: int
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
    runs = list(campaign.pooled_runs())
    compared = [sizes, *(sizes | {name: size + STEP} for name, size in sizes.items())]
    compared += [own] if (own := sizes_of(campaign.rules)) not in compared else []
    pooled = cut_runs(pools.pooled_runs(campaign, lambda *_: None), campaign.rules, compared)
    rules = [replace(campaign.rules, **each) for each in compared]
    units = [unit_sizes(pooled, each, campaign.seed) for each in rules]
    brought = brought_into(units[0].select(UNIT), pooled, rules[0])
    return PoolPlan(
        topic_sizes(units[0]),
        list(zip(runs, count_contributions(brought, [run.name for run in runs]), strict=True)),
        count_contributions(brought, [run.team for run in runs]),
        overlap_of_runs(brought, len(runs)),
        [
            PlannedSize(each, len(rows), len(rows) - len(units[0]), int(rows["documents"].sum()))
            for each, rows in zip(compared, units, strict=True)
        ],
    )


def cut_runs(pooled: list[PooledRun], rules: Protocol, compared: list[Sizes]) -> list[PooledRun]:
    """The runs without what is below all of these depths: each of several pools then reads little."""
    if rules.pool_rule != "depth":
        return pooled
    deepest = {name: max(TOP, *(each[name] for each in compared)) for name in rules.sizes}
    parts = prefixes(pooled, replace(rules, **deepest))
    return [run._replace(ranking=ranking) for run, ranking in zip(pooled, parts, strict=True)]


def estimate_pace(campaign: Campaign) -> PaceEstimate:
    """Seconds of attention per judgment: measured in this campaign, else in a lab with its task; else a minute."""
    timed = Judgment.objects.filter(assignment__round__pool__campaign=campaign, active_ms__gt=0)
    timing = timed.aggregate(mean=Avg("active_ms"), judgments=Count("pk"))
    if timing["judgments"] >= MIN_JUDGMENTS:
        return PaceEstimate(round(timing["mean"] / 1000, 1), timing["judgments"])
    lab = campaign.rules.preset if campaign.rules.preset in LAB_SECONDS else LATEST.get(campaign.rules.task, "")
    seconds, source = LAB_SECONDS.get(lab, (60, ""))
    return PaceEstimate(seconds, source=source)


def spread_of(counts: Iterable[int]) -> dict[str, float]:
    """The minimum, mean and maximum; all 0 for no numbers."""
    numbers = list(counts) or [0]
    return {"least": min(numbers), "mean": sum(numbers) / len(numbers), "most": max(numbers)}
