"""Who judges which topics, and in which order they see the entries."""

from collections.abc import Iterable, Mapping
from hashlib import sha256


def presentation_order(entries: Iterable[str], seed: int, assessor: str, topic: str) -> list[str]:
    """The entries of a pool in the order in which an assessor sees them: random, so that it does not reveal ranks, and
    different for each assessor (ARQMath-2). The same on every machine, in whatever order the entries come."""

    def place(entry: str) -> tuple[bytes, str]:
        return sha256(f"{seed}\t{assessor}\t{topic}\t{entry}".encode()).digest(), entry

    return sorted(entries, key=place)


def spread(sizes: Mapping[str, int], loads: Mapping[str, int]) -> list[tuple[str, str]]:
    """Each topic with an assessor, so that all have about as many documents to judge. ``sizes``: the documents of each
    topic; ``loads``: those that each assessor has already. The largest topic comes first and goes to the assessor with
    the fewest documents, the first in ``loads`` among equals; so nobody has more than another by more than the largest
    topic. The result is in the order of ``sizes``. Raises ``ValueError`` without assessors."""
    if not loads:
        raise ValueError("no assessors to give topics to")
    counts, given = dict(loads), {}
    for topic in sorted(sizes, key=sizes.__getitem__, reverse=True):
        given[topic] = min(counts, key=counts.__getitem__)
        counts[given[topic]] += sizes[topic]
    return [(topic, given[topic]) for topic in sizes]
