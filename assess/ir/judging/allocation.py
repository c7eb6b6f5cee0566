"""Who judges which topics, and in which order they see the entries."""

from collections.abc import Iterable, Mapping
from hashlib import sha256


def presentation_order(entries: Iterable[str], seed: int, assessor: str, topic: str) -> list[str]:
    """The entries of a pool in the order in which an assessor sees them: random, so that it does not reveal ranks, and
    different for each assessor (ARQMath-2). The same on every machine, in whatever order the entries come."""

    def place(entry: str) -> tuple[bytes, str]:
        return sha256(f"{seed}\t{assessor}\t{topic}\t{entry}".encode()).digest(), entry

    return sorted(entries, key=place)


def spread(topics: Iterable[str], loads: Mapping[str, int]) -> list[tuple[str, str]]:
    """Each topic with an assessor, as evenly as possible. ``loads`` says how many topics each assessor already has; the
    next topic goes to the one with the fewest, the first in ``loads`` among equals. Raises ``ValueError`` without
    assessors."""
    if not loads:
        raise ValueError("no assessors to give topics to")
    counts = dict(loads)
    pairs = []
    for topic in topics:
        assessor = min(counts, key=counts.__getitem__)
        counts[assessor] += 1
        pairs.append((topic, assessor))
    return pairs
