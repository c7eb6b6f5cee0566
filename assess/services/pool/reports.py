"""The report on a pool: its size, the contributions of runs and teams, and checks."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import polars as pl

from assess.ir.common.ids import abbreviated
from assess.ir.pool.contributions import (
    TOP,
    Brought,
    PoolContribution,
    brought_into,
    count_contributions,
    count_crowded,
)
from assess.ir.pool.pooling import UNIT
from assess.ir.runs.ranking import RANKING
from assess.models import Instance, Pool, Run
from assess.models.run import LOW_COVERAGE
from assess.services.common.wording import listed, number
from assess.services.pool import freezing, pools
from assess.services.runs import coverage


class Check(NamedTuple):
    """Something that should be true of a pool. ``detail``: what the check showed."""

    name: str
    is_met: bool
    detail: str


class PoolReport(NamedTuple):
    """``topics``: units, documents and crowded formulas of each; ``runs``: each with its role and contribution."""

    topics: list[tuple[str, int, int, int]]
    runs: list[tuple[Run, str, PoolContribution]]
    teams: list[PoolContribution]
    checks: list[Check]


def report_on_pool(pool: Pool) -> PoolReport:
    runs = runs_in_pool(pool)
    pooled = pools.as_pooled(pool.campaign, pool.rules, runs, lambda *_: None, pool.visual_map)
    brought = brought_into(units_of(pool.entries.values_list("topic__topic_id", "unit_id")), pooled, pool.rules)
    sizes = {row.topic.topic_id: (row.entries, row.documents) for row in pools.topic_counts(pool)}
    topics = pool.campaign.topics.values_list("topic_id", flat=True)
    crowded = count_crowded(brought, pool.rules)
    of_runs = count_contributions(brought, [run.name for run, _ in runs])
    return PoolReport(
        [(topic_id, *sizes.get(topic_id, (0, 0)), crowded.get(topic_id, 0)) for topic_id in topics],
        [(*run, contribution) for run, contribution in zip(runs, of_runs, strict=True)],
        count_contributions(brought, [run.team for run, _ in runs]),
        [*run_checks(pool, runs, of_runs, brought), *document_checks(pool)],
    )


def runs_in_pool(pool: Pool) -> list[tuple[Run, str]]:
    """The runs of the pool that the campaign still has, with their roles in the pool."""
    roles = {record["sha256"]: record["role"] for record in pool.runs}
    return [(run, roles[run.sha256]) for run in pool.campaign.runs.filter(sha256__in=roles)]


def units_of(rows: Iterable[tuple[str, ...]]) -> pl.DataFrame:
    return pl.DataFrame(sorted({row[:2] for row in rows}), schema=dict.fromkeys(UNIT, pl.String), orient="row")


def effects_of_leaving_out(pool: Pool) -> Iterator[str]:
    """What becomes of topics and of the runs' judged@10 without the documents that have no text, in words."""
    missing, runs = freezing.missing_texts(pool), runs_in_pool(pool)
    instances = Instance.objects.filter(entry__pool=pool).order_by("entry__topic__number", "pk")
    rows = list(instances.values_list("entry__topic__topic_id", "entry__unit_id", "doc_id"))
    kept = [row for row in rows if row[2] not in missing]
    before, after = (Counter(topic for topic, *_ in some) for some in (rows, kept))
    if emptied := [topic for topic in before if not after[topic]]:
        yield f"Nothing would be left to judge in {number(len(emptied), 'topic')}: {', '.join(emptied)}."
    fewer = [f"{topic} ({after[topic]} of {before[topic]})" for topic in before if 0 < after[topic] < before[topic]]
    if fewer:
        yield f"Documents left: {listed(fewer)}."
    pooled = pools.as_pooled(pool.campaign, pool.rules, runs, lambda *_: None, pool.visual_map)
    brought = (brought_into(units_of(some), pooled, pool.rules) for some in (rows, kept))
    shares = (count_contributions(each, [run.name for run, _ in runs]) for each in brought)
    pairs = [(old.name, old.percent, new.percent) for old, new in zip(*shares, strict=True)]
    if changed := [f"{name} (from {old:.0f} to {new:.0f} %)" for name, old, new in pairs if old != new]:
        yield f"Judged@10 falls: {listed(changed)}."


def run_checks(
    pool: Pool, runs: list[tuple[Run, str]], contributions: list[PoolContribution], brought: Brought
) -> Iterator[Check]:
    """If there is a collection to compare with, it should have the documents of the runs."""
    if not pool.runs:
        return
    yield Check("All runs exist", len(runs) == len(pool.runs), f"{len(runs)} of {len(pool.runs)}")
    short = [f"{row.name} ({row.judged:,} of {row.top:,})" for row in contributions if not row.is_judged]
    yield Check(f"The first {TOP} units of each run are in the pool", not short, abbreviated(short) if short else "all")
    entries, found = pool.entries.count(), brought.documents.select(UNIT).n_unique()
    yield Check("Every unit was brought in by a run", found == entries, f"{found:,} of {entries:,}")
    if compared := [run for run, _ in runs if run.known_share is not None]:
        low = [run.name for run in compared if run.has_low_coverage]
        name = f"{100 * LOW_COVERAGE:.0f} % of each run’s documents are in the collection"
        yield Check(name, not low, abbreviated(low) if low else f"{len(compared)} runs")


def document_checks(pool: Pool) -> Iterator[Check]:
    missing = len(freezing.missing_texts(pool))
    documents = set(Instance.objects.filter(entry__pool=pool).values_list("doc_id", flat=True))
    yield Check("Every document has a text", not missing, f"{len(documents) - missing:,} of {len(documents):,}")
    rows = pl.concat([RANKING.to_frame(), pl.DataFrame({"doc_id": sorted(documents)})], how="diagonal_relaxed")
    units = coverage.look_up_documents(pool.campaign, [rows]) if pool.campaign.is_formulas else None
    if units is not None:
        in_posts = len(units.filter("can_pool"))
        yield Check("Every formula is in a post", in_posts == len(units), f"{in_posts:,} of {len(units):,}")
    empty = pool.campaign.topics.exclude(pk__in=pool.entries.values("topic")).values_list("topic_id", flat=True)
    detail = abbreviated(list(empty)) if empty else f"{pool.campaign.topics.count()} topics"
    yield Check("Every topic has units to judge", not empty, detail)
