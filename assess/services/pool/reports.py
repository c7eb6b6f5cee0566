"""The report on a pool: its size, the contributions of runs and teams, and checks."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from django.utils import timezone

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
from assess.services.common import workspace
from assess.services.jobs.job_queue import OnProgress
from assess.services.pool import freezing, pools
from assess.services.runs import coverage


class Check(NamedTuple):
    """Something that should be true of a pool. ``detail``: what the check showed."""

    name: str
    is_met: bool
    detail: str


def report_path(pool: Pool, version: int | None = None) -> Path:
    return pools.report_folder(pool) / f"report-{version or pool.version}.json"


def stored_report(pool: Pool, version: int | None = None) -> dict[str, Any] | None:
    """The report on this version of the pool, by default the current one, if it was made."""
    path = report_path(pool, version)
    return json.loads(path.read_text()) if path.is_file() else None


def make_report(pool: Pool, on_progress: OnProgress) -> None:
    pooled = runs_in_pool(pool)
    brought = brought_into_pool(pool, pooled, on_progress)
    on_progress(0, 0, "checking the documents")
    sizes = {topic.topic.topic_id: (topic.entries, topic.documents) for topic in pools.topic_counts(pool)}
    topics = pool.campaign.topics.values_list("topic_id", flat=True)
    crowded = count_crowded(brought, pool.rules)
    of_runs = count_contributions(brought, [run.name for run, _ in pooled])
    of_teams = count_contributions(brought, [run.team for run, _ in pooled])
    report = {
        "made": timezone.now().isoformat(),
        "topics": [[topic_id, *sizes.get(topic_id, (0, 0)), crowded.get(topic_id, 0)] for topic_id in topics],
        "runs": [
            {
                "team": run.team,
                "role": role,
                **contribution._asdict(),
                "documents": run.coverage.get("documents"),
                "known": run.coverage.get("known"),
            }
            for (run, role), contribution in zip(pooled, of_runs, strict=True)
        ],
        "teams": [contribution._asdict() for contribution in of_teams],
        "checks": [
            check._asdict() for check in checks(pool, pooled, of_runs, brought.documents.select(UNIT).n_unique())
        ],
    }
    temporary = workspace.new_path()
    temporary.write_text(json.dumps(report))
    report_path(pool).parent.mkdir(parents=True, exist_ok=True)
    temporary.rename(report_path(pool))


def runs_in_pool(pool: Pool) -> list[tuple[Run, str]]:
    """The runs of the pool that the campaign still has, with their roles in the pool."""
    roles = {record["sha256"]: record["role"] for record in pool.runs}
    return [(run, roles[run.sha256]) for run in pool.campaign.runs.filter(sha256__in=roles)]


def brought_into_pool(pool: Pool, runs: list[tuple[Run, str]], on_progress: OnProgress) -> Brought:
    pooled = pools.as_pooled(pool.campaign, pool.rules, runs, on_progress, pool.visual_map)
    on_progress(0, 0, "counting what each run brought in")
    units = list(pool.entries.values_list("topic__topic_id", "unit_id"))
    return brought_into(pl.DataFrame(units, schema=dict.fromkeys(UNIT, pl.String), orient="row"), pooled, pool.rules)


class LeavingOut(NamedTuple):
    """What leaving out the documents without a text would do. ``topics``: those that lose any, each with its documents
    before and after; ``runs``: those that lose any of their first ten, each with judged@10 in percent before and
    after; ``other_runs``: how many keep theirs."""

    documents: int
    total: int
    topics: list[tuple[str, int, int]]
    runs: list[tuple[str, float | None, float | None]]
    other_runs: int

    @property
    def caption(self) -> str:
        text = "Judged@10: the share of the first ten of each topic that is in the pool."
        return f"{text} The other runs keep theirs." if self.other_runs else text

    @property
    def emptied(self) -> list[str]:
        return [topic for topic, _, after in self.topics if not after]


def preview_leaving_out(pool: Pool) -> LeavingOut:
    missing = freezing.missing_texts(pool)
    rows = Instance.objects.filter(entry__pool=pool).order_by("entry__topic__number", "pk")
    documents = list(rows.values_list("entry__topic__topic_id", "entry__unit_id", "doc_id"))
    before, after = Counter(row[0] for row in documents), Counter(row[0] for row in documents if row[2] not in missing)
    topics = [(topic, before[topic], after[topic]) for topic in before if before[topic] != after[topic]]
    runs = runs_in_pool(pool)
    pooled = pools.as_pooled(pool.campaign, pool.rules, runs, lambda *_: None, pool.visual_map)
    shares = []
    for kept in (documents, [row for row in documents if row[2] not in missing]):
        units = sorted({row[:2] for row in kept})
        frame = pl.DataFrame(units, schema=dict.fromkeys(UNIT, pl.String), orient="row")
        brought = brought_into(frame, pooled, pool.rules)
        shares.append([row.percent for row in count_contributions(brought, [run.name for run, _ in runs])])
    changed = [(run.name, *both) for (run, _), *both in zip(runs, *shares, strict=True) if both[0] != both[1]]
    return LeavingOut(len(documents) - sum(after.values()), len(documents), topics, changed, len(runs) - len(changed))


def checks(
    pool: Pool, pooled: list[tuple[Run, str]], contributions: list[PoolContribution], brought: int
) -> Iterator[Check]:
    """``brought``: how many units of the pool its runs brought in."""
    entries = pool.entries.count()
    if pool.runs:
        yield Check("All runs exist", len(pooled) == len(pool.runs), f"{len(pooled)} of {len(pool.runs)}")
        short = [f"{row.name} ({row.judged:,} of {row.top:,})" for row in contributions if not row.is_judged]
        detail = abbreviated(short) if short else "all"
        yield Check(f"The first {TOP} units of each run are in the pool", not short, detail)
        is_met = brought == entries
        yield Check("Every unit was brought in by a run", is_met, f"{brought:,} of {entries:,}")
        yield from coverage_checks(pooled)
    yield from document_checks(pool)
    empty = pool.campaign.topics.exclude(pk__in=pool.entries.values("topic")).values_list("topic_id", flat=True)
    detail = abbreviated(list(empty)) if empty else f"{pool.campaign.topics.count()} topics"
    yield Check("Every topic has units to judge", not empty, detail)


def coverage_checks(pooled: list[tuple[Run, str]]) -> Iterator[Check]:
    """If there is a collection to compare with, it should have the documents of the runs."""
    compared = [run for run, _ in pooled if run.known_share is not None]
    if compared:
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
