"""The order in which an assessor sees the entries of a topic and their instances; stored with the assignment."""

from collections import defaultdict
from typing import NamedTuple

from django.contrib.auth.models import User

from assess.ir.judging.allocation import presentation_order
from assess.models import Instance, Pool, Topic


class Presentation(NamedTuple):
    """The ids of entries, and of their instances, one entry after the other."""

    order: list[int]
    instance_order: list[int]


def presentation(pool: Pool, topic: Topic, assessor: User, version: int = 1) -> Presentation:
    """The entries added by a version or later, in random order, so that neither ranks nor votes show; different for
    each assessor."""
    entries: dict[str, int] = {}
    instances: defaultdict[str, dict[str, int]] = defaultdict(dict)
    chosen = Instance.objects.filter(entry__pool=pool, entry__topic=topic, entry__version__gte=version)
    for unit_id, entry, doc_id, pk in chosen.values_list("entry__unit_id", "entry_id", "doc_id", "pk"):
        entries[unit_id] = entry
        instances[unit_id][doc_id] = pk
    units = presentation_order(entries, pool.seed, assessor.username, topic.topic_id)
    return Presentation(
        [entries[unit] for unit in units],
        [
            instances[unit][doc_id]
            for unit in units
            for doc_id in presentation_order(instances[unit], pool.seed, assessor.username, f"{topic.topic_id} {unit}")
        ],
    )
