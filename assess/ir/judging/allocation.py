"""Who sees what in which order."""

from collections.abc import Iterable, Mapping
from hashlib import sha256


def presentation_order(entries: Iterable[str], seed: int, assessor: str, topic: str) -> list[str]:
    """The entries of a pool in the order in which an assessor sees them: random, so that rank gives nothing
    away, and different for each assessor (ARQMath-2). The same on every machine and in
    whatever order the entries come."""

    def place(entry: str) -> tuple[bytes, str]:
        return sha256(f"{seed}\t{assessor}\t{topic}\t{entry}".encode()).digest(), entry

    return sorted(entries, key=place)


def spread(topics: Iterable[str], loads: Mapping[str, int]) -> list[tuple[str, str]]:
    """Each topic with an assessor, so that the numbers of topics differ as little as possible. ``loads`` holds how
    many topics each assessor has already; the next topic goes to whoever has fewest, in the order of ``loads``.
    Raises ``ValueError`` without assessors."""
    if not loads:
        raise ValueError("no assessors to give topics to")
    counts = dict(loads)
    given = []
    for topic in topics:
        assessor = min(counts, key=counts.__getitem__)
        counts[assessor] += 1
        given.append((topic, assessor))
    return given
