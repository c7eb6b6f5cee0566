"""The order in which an assessor sees the entries of a topic and their instances; stored with the assignment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from typing import NamedTuple

from django.contrib.auth.models import User

from assess.ir.rounds.allocation import presentation_order
from assess.models import Instance, Pool, Topic


class Presentation(NamedTuple):
    """The instances of each entry, all by their ids, in the order in which they are shown."""

    entries: dict[int, list[int]]

    @property
    def order(self) -> list[int]:
        return list(self.entries)

    @property
    def instance_order(self) -> list[int]:
        return [instance for instances in self.entries.values() for instance in instances]

    def only(self, chosen: Container[int]) -> Presentation:
        """These instances, without entries that have none of them."""
        kept = {entry: [pk for pk in instances if pk in chosen] for entry, instances in self.entries.items()}
        return Presentation({entry: instances for entry, instances in kept.items() if instances})


def presentation(pool: Pool, topic: Topic, assessor: User, version: int = 1) -> Presentation:
    """The entries added by a version or later, in random order, so that neither ranks nor votes show; different for
    each assessor."""
    entries: dict[str, int] = {}
    instances: defaultdict[str, dict[str, int]] = defaultdict(dict)
    chosen = Instance.objects.filter(entry__pool=pool, entry__topic=topic, entry__version__gte=version)
    for unit_id, entry, doc_id, pk in chosen.values_list("entry__unit_id", "entry_id", "doc_id", "pk"):
        entries[unit_id] = entry
        instances[unit_id][doc_id] = pk

    def shown(unit: str) -> list[int]:
        documents = instances[unit]
        name = f"{topic.topic_id} {unit}"
        return [documents[doc_id] for doc_id in presentation_order(documents, pool.seed, assessor.username, name)]

    units = presentation_order(entries, pool.seed, assessor.username, topic.topic_id)
    return Presentation({entries[unit]: shown(unit) for unit in units})
