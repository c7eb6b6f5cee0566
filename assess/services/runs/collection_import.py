"""Import of a collection. The visual ids of its index and the units of all runs on it change in the same
transaction."""

from django.contrib.auth.models import User
from django.db import transaction

from assess.models import Collection
from assess.services.collection import collections
from assess.services.collection.preparing import EVER, CollectionFile, Years
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.runs import updates


def import_collection(
    collection: Collection, uploads: list[CollectionFile], by: User, on_progress: OnProgress, years: Years = EVER
) -> dict[str, int]:
    """Read the files into columns (``collections.new_columns``) and return the number of rows of each kind."""
    with collections.new_columns(collection, uploads, on_progress, years):
        campaigns = collection.campaigns.all()
        changed = [run for campaign in campaigns for run in updates.prepare_updates(campaign, on_progress)]
        is_new = collection.has_formulas and visual_ids.current_version(collection) is None
        counts = visual_ids.count_formulas(collection) if is_new else None
        with transaction.atomic():
            collections.save_import(collection)
            if counts:
                visual_ids.record_index(collection, by, counts)
            updates.store_updates(changed)
    rows: dict[str, int] = collection.counts
    return rows
