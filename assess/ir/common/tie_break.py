"""Ties are broken at random, but in the same way on every machine."""

from hashlib import sha256


def tie_break(seed: int, topic_id: str, doc_id: str) -> bytes:
    """A sort key that depends only on the seed and the ids."""
    return sha256(f"{seed}\t{topic_id}\t{doc_id}".encode()).digest()
