"""What can be an id: it becomes part of addresses and of tab-separated files."""

import re
from collections.abc import Sequence

from assess.ir.common.rows import LONGEST_ID

CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def wrong_id(text: str) -> str:
    """Why a text cannot be an id, to follow "the id"; empty if it can."""
    if not text:
        return "is empty"
    if len(text) > LONGEST_ID:
        return f"has {len(text):,} characters, at most {LONGEST_ID} are allowed"
    if CONTROL.search(text):
        return "contains a control character, such as NUL or a line break"
    return ""


def abbreviated(ids: Sequence[str]) -> str:
    """The first five ids or names."""
    return ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
