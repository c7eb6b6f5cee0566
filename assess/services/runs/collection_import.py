"""A collection and what follows from it: the version of the visual ids that its index is, and the units of the runs of
all campaigns that search it. They change together or not at all."""

from django.contrib.auth.models import User
from django.db import transaction

from assess.models import Collection
from assess.services.collection import collections
from assess.services.collection.preparing import EVER, SourceFile, Years
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.runs import runs


def import_collection(
    collection: Collection, uploads: list[SourceFile], by: User, on_progress: OnProgress, years: Years = EVER
) -> dict[str, int]:
    """Read the files into columns (``collections.prepared``); returns how many rows of each kind there are now."""
    with collections.prepared(collection, uploads, on_progress, years):
        found = [one for campaign in collection.campaigns.all() for one in runs.looked_up_again(campaign, on_progress)]
        is_new = collection.has_formulas and visual_ids.current(collection) is None
        counts = visual_ids.count_formulas(collection) if is_new else None
        with transaction.atomic():
            collections.store(collection)
            if counts:
                visual_ids.record_index(collection, by, counts)
            runs.store_again(found)
    rows: dict[str, int] = collection.counts
    return rows
