"""Grades and outcomes as people and programs write them."""

import re

from assess.ir.common.rows import DO_NOT_KNOW, GRADES, NOT_MATCHING, SYSTEM_FAILURE
from assess.ir.formats.table import parse_whole

WORDS: dict[str, tuple[int | None, str]] = {
    "high": (3, ""),
    "medium": (2, ""),
    "low": (1, ""),
    "not relevant": (0, ""),
    "non relevant": (0, ""),
    "nonrelevant": (0, ""),
    "irrelevant": (0, ""),
    "system failure": (None, SYSTEM_FAILURE),
    "do not know": (None, DO_NOT_KNOW),
    "don't know": (None, DO_NOT_KNOW),
    "not matching": (None, NOT_MATCHING),
}
EXPECTED = "0 to 3, High, Medium, Low, Not relevant, System failure, Do not know or Not matching"
BETWEEN = re.compile(r"[\s_-]+")


def grade_or_outcome(text: str) -> tuple[int | None, str] | None:
    """The grade or the outcome that a text means, in any case, with spaces, hyphens or underscores between words; None
    if it is neither."""
    number = parse_whole(text.strip())
    if number is not None:
        return (number, "") if number in GRADES else None
    return WORDS.get(BETWEEN.sub(" ", text.strip().lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")))
