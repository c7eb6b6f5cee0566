"""When a collection or its visual ids change, the units and coverage of all runs on it are looked up again and change
in the same transaction."""

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.runs.ranking import pack
from assess.models import Campaign, Collection, OnProgress, Ranking, Run, VisualMap
from assess.services.collection import collections
from assess.services.collection.preparing import EVER, CollectionFile, Years
from assess.services.formulas import visual_ids
from assess.services.runs import coverage, runs


def prepare_updates(campaign: Campaign, on_progress: OnProgress, version: VisualMap | None = None) -> list[Run]:
    """All runs with new coverage and ranking, after the collection or its visual ids changed; not stored yet."""
    stored = list(campaign.runs.select_related("campaign__collection", "ranking"))
    rankings = [runs.load_ranking(run) for run in stored if not run.is_written]
    units = coverage.look_up_documents(campaign, rankings, version)
    for number, run in enumerate(stored):
        on_progress(number, len(stored), f"looking up the documents of {run.name}")
        run.ranking.packed = pack(coverage.resolve_run(run, runs.load_ranking(run), units))
    return stored


@transaction.atomic
def store_updates(changed: Iterable[Run]) -> None:
    for run in changed:
        Ranking.objects.filter(run=run).update(packed=run.ranking.packed)
        Run.objects.filter(pk=run.pk).update(coverage=run.coverage)


def apply_visual_ids(version: VisualMap, on_progress: OnProgress) -> None:
    """Apply a version, and update the runs of all formula campaigns on it. Raises Refused as `apply_version` does."""
    campaigns = [campaign for campaign in version.collection.campaigns.all() if campaign.is_formulas]
    changed = [run for campaign in campaigns for run in prepare_updates(campaign, on_progress, version)]
    with transaction.atomic():
        visual_ids.apply_version(version)
        store_updates(changed)


def import_collection(
    collection: Collection, uploads: list[CollectionFile], by: User, on_progress: OnProgress, years: Years = EVER
) -> dict[str, int]:
    """Read the files into columns (``collections.new_columns``) and return the number of rows of each kind."""
    with collections.new_columns(collection, uploads, on_progress, years):
        campaigns = collection.campaigns.all()
        changed = [run for campaign in campaigns for run in prepare_updates(campaign, on_progress)]
        is_new = collection.has_formulas and visual_ids.current_version(collection) is None
        counts = visual_ids.count_formulas(collection) if is_new else None
        with transaction.atomic():
            collections.save_import(collection)
            if counts:
                visual_ids.record_index(collection, by, counts)
            store_updates(changed)
    rows: dict[str, int] = collection.counts
    return rows
