"""What a pool turned out to be: its size, what each run brought in, and whether it keeps what a pool promises."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from django.utils import timezone

from assess.ir.pool import planning
from assess.ir.pool.planning import Contribution, Plan
from assess.ir.pool.pooling import UNIT
from assess.ir.runs.ranking import RANKING
from assess.models import Instance, Pool, Run
from assess.services.common import workspace
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import pools, seeding
from assess.services.runs import coverage, runs

NAMED = 5
"""So many runs or topics are named where a check fails."""


class Check(NamedTuple):
    """Something that should be so. ``detail`` says what is found."""

    name: str
    is_met: bool
    detail: str


def place(pool: Pool) -> Path:
    return pools.folder(pool) / f"report-{pool.version}.json"


def find(pool: Pool) -> dict[str, Any] | None:
    """The report of this version, if it has been made."""
    file = place(pool)
    return json.loads(file.read_text()) if file.is_file() else None


def compute(pool: Pool, on_progress: OnProgress) -> None:
    """Make the report of a pool from the runs that it names, as they are now."""
    taken = runs_of(pool)
    plan, entries = contributions(pool, taken, on_progress)
    on_progress(0, 0, "checking the documents")
    at, limit = planning.dials(pool.rules), pool.rules.max_instances
    sizes = {one.topic.topic_id: (one.entries, one.documents) for one in pools.by_topic(pool)}
    topics = list(pool.campaign.topics.values_list("topic_id", flat=True))
    crowded = {row.topic_id: row.crowded for row in planning.by_topic(plan, at, limit, entries, topics)}
    shares = planning.contributions(plan, at, entries, [run.name for run, _ in taken])
    teams = planning.contributions(plan, at, entries, [run.team for run, _ in taken])
    of_topics = [[topic_id, *sizes.get(topic_id, (0, 0)), crowded[topic_id]] for topic_id in topics]
    found = {
        "made": timezone.now().isoformat(),
        "topics": of_topics,
        "runs": [
            {"team": run.team, "role": role, **share._asdict(), **coverage.summary(run)}
            for (run, role), share in zip(taken, shares, strict=True)
        ],
        "teams": [share._asdict() for share in teams],
        "checks": [check._asdict() for check in checks(pool, taken, shares, len(entries))],
    }
    made = workspace.new_path()
    made.write_text(json.dumps(found))
    place(pool).parent.mkdir(parents=True, exist_ok=True)
    made.rename(place(pool))


def runs_of(pool: Pool) -> list[tuple[Run, str]]:
    """The runs that a pool names and the campaign still has, with their roles in it."""
    roles = {run["sha256"]: run["role"] for run in pool.runs}
    found = pool.campaign.runs.filter(sha256__in=roles)
    return [(run, roles[run.sha256]) for run in found]


def contributions(pool: Pool, taken: list[tuple[Run, str]], on_progress: OnProgress) -> tuple[Plan, pl.DataFrame]:
    """The plan of its runs, and those of its entries that are in the pool."""
    pooled = pools.as_pooled(pool.campaign, pool.rules, taken, on_progress, pool.visual_map)
    on_progress(0, 0, "counting what each run brought in")
    places = seeding.places(pool.campaign, pool.rules, pooled, pool.answer_pool)
    plan = planning.make_plan(pooled, pool.rules, pool.seed, max(planning.dials(pool.rules)), *places)
    in_pool = pl.DataFrame(
        list(pool.entries.values_list("topic__topic_id", "unit_id")),
        schema=dict.fromkeys(UNIT, pl.String),
        orient="row",
    )
    return plan, plan.entries.with_row_index("entry").join(in_pool, on=UNIT, how="semi").select("entry")


def checks(pool: Pool, taken: list[tuple[Run, str]], shares: list[Contribution], explained: int) -> Iterator[Check]:
    """What should be so of a pool; ``explained``: how many of its units its runs retrieved."""
    entries = pool.entries.count()
    if pool.runs:
        gone = len(pool.runs) - len(taken)
        yield Check("All its runs are here", not gone, f"{len(taken)} of {len(pool.runs)}")
        short = [f"{one.name} ({one.judged:,} of {one.top:,})" for one in shares if not one.is_judged]
        detail = some(short) if short else "all of them"
        yield Check(f"Every pooled run is judged down to its unit {planning.TOP}", not short, detail)
        is_met = explained == entries
        yield Check("Every unit was retrieved by one of the runs", is_met, f"{explained:,} of {entries:,}")
        yield from of_coverage(taken)
    yield from of_documents(pool)
    empty = pool.campaign.topics.exclude(pk__in=pool.entries.values("topic")).values_list("topic_id", flat=True)
    detail = some(list(empty)) if empty else f"{pool.campaign.topics.count()} topics"
    yield Check("Every topic has something to judge", not empty, detail)


def of_coverage(taken: list[tuple[Run, str]]) -> Iterator[Check]:
    """Where there is a collection to compare with, it should hold what the runs retrieved."""
    shares = {run.name: run.known_share for run, _ in taken if run.known_share is not None}
    if shares:
        low = [name for name, share in shares.items() if share < coverage.LOW_COVERAGE]
        name = f"The collection holds {100 * coverage.LOW_COVERAGE:.0f} % of each run's documents"
        yield Check(name, not low, some(low) if low else f"{len(shares)} runs")


def of_documents(pool: Pool) -> Iterator[Check]:
    """Nothing without a text; no formula that stands in a comment, or in no post at all."""
    missing = len(pools.missing(pool))
    documents = set(Instance.objects.filter(entry__pool=pool).values_list("doc_id", flat=True))
    yield Check(
        "Every document has a text", not missing, f"{len(documents) - missing:,} of {len(documents):,} have one"
    )
    known = as_known(pool, documents)
    if pool.campaign.is_formulas and known is not None:
        fit = len(known.filter("can_pool"))
        detail = f"{fit:,} of {len(known):,} stand in posts"
        yield Check("No formula is of a comment or spurious", fit == len(known), detail)


def as_known(pool: Pool, documents: set[str]) -> pl.DataFrame | None:
    rows = pl.DataFrame({"doc_id": sorted(documents)}, schema={"doc_id": pl.String})
    columns = {name: pl.lit(None, kind) for name, kind in RANKING.items() if name != "doc_id"}
    return coverage.look_up(pool.campaign, [rows.with_columns(**columns).select(RANKING.names())])


def some(names: list[str]) -> str:
    return runs.abbreviated(names)
