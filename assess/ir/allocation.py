"""Who sees what in which order."""

from collections.abc import Iterable
from hashlib import sha256


def presentation_order(entries: Iterable[str], seed: int, assessor: str, topic: str) -> list[str]:
    """The entries of a pool in the order in which an assessor sees them: random, so that rank gives nothing
    away, and different for each assessor (ARQMath-2). The same on every machine and in
    whatever order the entries come."""

    def place(entry: str) -> tuple[bytes, str]:
        return sha256(f"{seed}\t{assessor}\t{topic}\t{entry}".encode()).digest(), entry

    return sorted(entries, key=place)
