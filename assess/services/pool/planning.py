"""What a pool would be and cost with other depths, what each run brings into one, and whether it is as it should be:
computed when a page asks, and not stored."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl
from django.db.models import Avg, Count

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import abbreviated
from assess.ir.pool import pooling
from assess.ir.runs.ranking import RANKING
from assess.models import Campaign, Instance, Judgment, Pool, Run
from assess.models.run import LOW_COVERAGE
from assess.services.common.wording import listed, number
from assess.services.pool import freezing, pools
from assess.services.runs import coverage

STEP = 5
"""How much deeper the pools are that show what more depth adds."""
ASSUMED_SECONDS = 60.0
"""Of attention per judgment, as long as nothing was measured."""

Sizes = dict[str, Any]
"""The fields of a protocol that set how much is pooled (``Protocol.sizes``)."""
RunInPool = tuple[Run, str, pooling.PoolContribution]
"""A run with its role in the pool, and what it brings in."""


class PaceEstimate(NamedTuple):
    """Seconds of attention per judgment, and in how many they were measured: in none if they are assumed."""

    seconds: float
    judgments: int


class PoolPlan(NamedTuple):
    """The pool that was asked for, by topic (topic_id, units, documents), run and team, with the overlap of its runs;
    and how much there would be to judge with these sizes, with others for comparison: sizes, units, how many units more
    than with those asked for, and documents."""

    topics: list[dict[str, Any]]
    runs: list[RunInPool]
    teams: list[pooling.PoolContribution]
    overlap: list[list[float | None]]
    costs: list[dict[str, Any]]


def sizes_of(rules: Protocol) -> Sizes:
    return {name: getattr(rules, name) for name in rules.sizes}


def plan_pool(campaign: Campaign, sizes: Sizes) -> PoolPlan:
    """The pool with these sizes. Compared with it are the pools that are deeper by ``STEP`` in one of them, and the
    protocol's. Raises Refused if runs or topics are missing."""
    roles = [(run, run.pool_role) for run in campaign.pooled_runs()]
    compared = [sizes, *(sizes | {name: size + STEP} for name, size in sizes.items())]
    compared += [own] if (own := sizes_of(campaign.rules)) not in compared else []
    pooled = cut_runs(pools.pooled_runs(campaign, lambda *_: None), campaign.rules, compared)
    rules = [replace(campaign.rules, **each) for each in compared]
    units = [pooling.unit_sizes(pooled, each, campaign.seed) for each in rules]
    brought = pooling.brought_into(units[0].select(pooling.UNIT), pooled, rules[0])
    topics = units[0].group_by("topic_id").agg(units=pl.len(), documents=pl.col("documents").sum())
    return PoolPlan(
        topics.sort("topic_id").to_dicts(),
        runs_with_contributions(roles, brought),
        pooling.count_contributions(brought, [run.team for run, _ in roles]),
        pooling.overlap_of_runs(brought, len(roles)),
        [
            {"sizes": each, "units": len(rows), "more": len(rows) - len(units[0]), "documents": rows["documents"].sum()}
            for each, rows in zip(compared, units, strict=True)
        ],
    )


def cut_runs(pooled: list[pooling.PooledRun], rules: Protocol, compared: list[Sizes]) -> list[pooling.PooledRun]:
    """The runs without what is below all of these depths: each of several pools then reads little."""
    if rules.pool_rule != "depth":
        return pooled
    deepest = {name: max(pooling.TOP, *(each[name] for each in compared)) for name in rules.sizes}
    parts = pooling.prefixes(pooled, replace(rules, **deepest))
    return [run._replace(ranking=ranking) for run, ranking in zip(pooled, parts, strict=True)]


def runs_with_contributions(roles: Sequence[tuple[Run, str]], brought: pooling.Brought) -> list[RunInPool]:
    of_runs = pooling.count_contributions(brought, [run.name for run, _ in roles])
    return [(*run, contribution) for run, contribution in zip(roles, of_runs, strict=True)]


def estimate_pace(campaign: Campaign) -> PaceEstimate:
    timed = Judgment.objects.filter(assignment__round__pool__campaign=campaign, active_ms__gt=0)
    timing = timed.aggregate(mean=Avg("active_ms"), judgments=Count("pk"))
    if not timing["judgments"]:
        return PaceEstimate(ASSUMED_SECONDS, 0)
    return PaceEstimate(round(timing["mean"] / 1000, 1), timing["judgments"])


Check = tuple[str, bool, str]
"""Something that should be true of a pool, whether it is, and what the check showed."""


class PoolReport(NamedTuple):
    """How large a pool is, and in how many ``topics``; ``crowded``: how many units have more documents than are
    judged."""

    topics: int
    units: int
    documents: int
    crowded: int
    runs: list[RunInPool]
    teams: list[pooling.PoolContribution]
    checks: list[Check]


def report_on_pool(pool: Pool) -> PoolReport:
    roles = pools.runs_in_pool(pool)
    pooled = pools.as_pooled(pool.campaign, pool.rules, roles, lambda *_: None, pool.visual_map)
    brought = pooling.brought_into(units_of(pool.entries.values_list("topic__topic_id", "unit_id")), pooled, pool.rules)
    sizes, runs = pools.topic_counts(pool), runs_with_contributions(roles, brought)
    return PoolReport(
        len(sizes),
        sum(size.entries for size in sizes),
        sum(size.documents for size in sizes),
        pooling.count_crowded(brought, pool.rules),
        runs,
        pooling.count_contributions(brought, [run.team for run, _ in roles]),
        [*run_checks(pool, runs, brought), *document_checks(pool)],
    )


def units_of(rows: Iterable[tuple[str, ...]]) -> pl.DataFrame:
    return pl.DataFrame(sorted({row[:2] for row in rows}), schema=dict.fromkeys(pooling.UNIT, pl.String), orient="row")


def effects_of_leaving_out(pool: Pool) -> Iterator[str]:
    """What becomes of topics and of the runs' judged@10 without the documents that have no text, in words."""
    missing, roles = freezing.missing_texts(pool), pools.runs_in_pool(pool)
    instances = Instance.objects.filter(entry__pool=pool).order_by("entry__topic__number", "pk")
    rows = list(instances.values_list("entry__topic__topic_id", "entry__unit_id", "doc_id"))
    kept = [row for row in rows if row[2] not in missing]
    before, after = (Counter(topic for topic, *_ in some) for some in (rows, kept))
    if emptied := [topic for topic in before if not after[topic]]:
        yield f"Nothing would be left to judge in {number(len(emptied), 'topic')}: {', '.join(emptied)}."
    fewer = [f"{topic} ({after[topic]} of {before[topic]})" for topic in before if 0 < after[topic] < before[topic]]
    if fewer:
        yield f"Documents left: {listed(fewer)}."
    pooled = pools.as_pooled(pool.campaign, pool.rules, roles, lambda *_: None, pool.visual_map)
    brought = (pooling.brought_into(units_of(some), pooled, pool.rules) for some in (rows, kept))
    shares = (pooling.count_contributions(each, [run.name for run, _ in roles]) for each in brought)
    pairs = [(old.name, old.percent, new.percent) for old, new in zip(*shares, strict=True)]
    if changed := [f"{name} (from {old:.0f} to {new:.0f} %)" for name, old, new in pairs if old != new]:
        yield f"Judged@10 falls: {listed(changed)}."


def run_checks(pool: Pool, runs: list[RunInPool], brought: pooling.Brought) -> Iterator[Check]:
    """If there is a collection to compare with, it should have the documents of the runs."""
    if not pool.runs:
        return
    yield "All runs exist", len(runs) == len(pool.runs), f"{len(runs)} of {len(pool.runs)}"
    short = [f"{row.name} ({row.judged:,} of {row.top:,})" for _, _, row in runs if not row.is_judged]
    name = f"The first {pooling.TOP} units of each run are in the pool"
    yield name, not short, abbreviated(short) if short else "all"
    entries, found = pool.entries.count(), brought.documents.select(pooling.UNIT).n_unique()
    yield "Every unit was brought in by a run", found == entries, f"{found:,} of {entries:,}"
    if compared := [run for run, *_ in runs if run.known_share is not None]:
        low = [run.name for run in compared if run.has_low_coverage]
        name = f"{100 * LOW_COVERAGE:.0f} % of each run’s documents are in the collection"
        yield name, not low, abbreviated(low) if low else f"{len(compared)} runs"


def document_checks(pool: Pool) -> Iterator[Check]:
    missing = len(freezing.missing_texts(pool))
    documents = set(Instance.objects.filter(entry__pool=pool).values_list("doc_id", flat=True))
    yield "Every document has a text", not missing, f"{len(documents) - missing:,} of {len(documents):,}"
    rows = pl.concat([RANKING.to_frame(), pl.DataFrame({"doc_id": sorted(documents)})], how="diagonal_relaxed")
    units = coverage.look_up_documents(pool.campaign, [rows]) if pool.campaign.is_formulas else None
    if units is not None:
        in_posts = len(units.filter("can_pool"))
        yield "Every formula is in a post", in_posts == len(units), f"{in_posts:,} of {len(units):,}"
    empty = pool.campaign.topics.exclude(pk__in=pool.entries.values("topic")).values_list("topic_id", flat=True)
    detail = abbreviated(list(empty)) if empty else f"{pool.campaign.topics.count()} topics"
    yield "Every topic has units to judge", not empty, detail
