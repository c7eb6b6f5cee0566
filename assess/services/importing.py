"""A collection and what follows from it: the version of the visual ids that its index is, and the units of the runs of
all campaigns that search it. They change together or not at all."""

from django.contrib.auth.models import User
from django.db import transaction

from assess.models import Collection
from assess.services import collections, formulas, runs
from assess.services.collections import Upload, Years
from assess.services.jobs import Tell
from assess.services.preparing import EVER


def import_collection(
    collection: Collection, uploads: list[Upload], by: User, tell: Tell, years: Years = EVER
) -> dict[str, int]:
    """Read the files into columns (``collections.prepared``); returns how many rows of each kind there are now."""
    with collections.prepared(collection, uploads, tell, years):
        found = [one for campaign in collection.campaigns.all() for one in runs.looked_up_again(campaign, tell)]
        is_new = collection.has_formulas and formulas.current(collection) is None
        counts = formulas.counted(collection) if is_new else None
        with transaction.atomic():
            collections.store(collection)
            if counts:
                formulas.record_index(collection, by, counts)
            runs.store_again(found)
    rows: dict[str, int] = collection.counts
    return rows
