"""Ids, which become part of addresses and of tab-separated files, and their order."""

import re
from collections.abc import Sequence
from hashlib import sha256

from assess.ir.common.rows import LONGEST_ID

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
NEVER = re.compile(r"[\x00\ud800-\udfff]")
"""What no text can hold: PostgreSQL refuses NUL and half surrogates, which JSON can have."""


def wrong_id(text: str) -> str:
    """Why a text cannot be an id, to follow "the id"; empty if it can."""
    if not text:
        return "is empty"
    if len(text) > LONGEST_ID:
        return f"has {len(text):,} characters, at most {LONGEST_ID} are allowed"
    if CONTROL.search(text) or NEVER.search(text):
        return "contains a control character, such as NUL or a line break"
    return ""


def natural(text: str) -> list[tuple[int, str]]:
    """A key for sorting: numbers in ids by value, so that A.2 comes before A.100."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", text)]


def abbreviated(ids: Sequence[str]) -> str:
    """The first five ids or names."""
    return ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")


def tie_break(seed: int, topic_id: str, doc_id: str) -> bytes:
    """A sort key by which ties are broken at random, but in the same way on every machine."""
    return sha256(f"{seed}\t{topic_id}\t{doc_id}".encode()).digest()
