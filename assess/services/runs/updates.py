"""Updating runs after their collection or its visual ids changed: units and coverage are looked up again."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db import transaction

from assess.ir.runs.ranking import pack
from assess.models import Campaign, Ranking, Run, VisualMap
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.runs import coverage, runs


class RunUpdate(NamedTuple):
    """New coverage and packed ranking of a run (its key)."""

    run: int
    coverage: dict[str, Any]
    packed: bytes


def prepare(campaign: Campaign, on_progress: OnProgress, version: VisualMap | None = None) -> list[RunUpdate]:
    """All runs looked up again after the collection or its visual ids changed; not stored yet."""
    stored = list(campaign.runs.select_related("campaign__collection", "ranking"))
    units = coverage.look_up(campaign, [runs.load(run) for run in stored if not run.is_written], version)
    changes = []
    for number, run in enumerate(stored):
        on_progress(number, len(stored), f"looking up the documents of {run.name}")
        packed = pack(coverage.resolved(run, runs.load(run), units))
        changes.append(RunUpdate(run.pk, run.coverage, packed))
    return changes


@transaction.atomic
def store(changes: Iterable[RunUpdate]) -> None:
    for change in changes:
        Ranking.objects.filter(run=change.run).update(packed=change.packed)
        Run.objects.filter(pk=change.run).update(coverage=change.coverage)


def apply_visual_ids(version: VisualMap, on_progress: OnProgress) -> None:
    """Apply a version of the visual ids and update the runs of all formula campaigns on the collection. Raises
    Refused as ``visual_ids.apply`` does."""
    campaigns = [campaign for campaign in version.collection.campaigns.all() if campaign.is_formulas]
    changes = [change for campaign in campaigns for change in prepare(campaign, on_progress, version)]
    with transaction.atomic():
        visual_ids.apply(version)
        store(changes)
