"""The grades of a campaign, what can be said instead of a grade, and the words of its pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

STEPS = 10
"""As many grades of a scale can be above 0, or below; each is shown in a shade of its own."""
LEAST_GRADE, MOST_GRADE = -9, 99
LONGEST_WORD = 60


@dataclass(frozen=True, kw_only=True)
class Grade:
    """A grade of the scale. ``key``: the key that gives it, empty for the digit of its value or none; ``short``: what
    stands for it in headings (H+M for High and Medium)."""

    value: int
    name: str
    definition: str = ""
    key: str = ""
    short: str = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What an assessor can say of a document instead of a grade. ``word``: what stands for it in files; ``reasons``:
    the usual ones, one key each; ``qrels``: 0 if it counts as this grade in releases, None for unjudged."""

    word: str
    name: str
    meaning: str = ""
    needs_comment: bool = True
    reasons: tuple[str, ...] = ()
    qrels: int | None = None


@dataclass(frozen=True, kw_only=True)
class Words:
    """What the pages call what is shown and judged (a document), and what counts once in the qrels (a unit)."""

    document: str = "document"
    documents: str = "documents"
    unit: str = "document"
    units: str = "documents"

    @classmethod
    def completed(cls, given: Mapping[str, str]) -> "Words":
        """Those that are given; a plural is the word with an s, and a unit is called like a document."""
        document = given.get("document") or "document"
        documents, unit = given.get("documents") or f"{document}s", given.get("unit") or document
        units = given.get("units") or (documents if unit == document else f"{unit}s")
        return cls(document=document, documents=documents, unit=unit, units=units)


def refuse_scale(grades: Sequence[Grade], level: int) -> None:
    """Raises ``ValueError`` for the first value that the others don't allow. ``level``: relevant from this grade."""
    values = [grade.value for grade in grades]
    if not 2 <= len(values) <= 11:
        raise ValueError(f"grades: 2 to 11 are needed, found {len(values)}")
    if values != sorted(set(values), reverse=True) or not LEAST_GRADE <= min(values) <= max(values) <= MOST_GRADE:
        raise ValueError(
            f"grades: different values from {LEAST_GRADE} to {MOST_GRADE} are needed, the highest first, found "
            f"{', '.join(map(str, values))}"
        )
    for grade in grades:
        if not grade.name.strip() or len(grade.name) > LONGEST_WORD:
            raise ValueError(f"grades: grade {grade.value} needs a name of 1 to {LONGEST_WORD} characters")
    keys = [grade.key for grade in grades if grade.key]
    if len(set(keys)) < len(keys) or any(len(key) > 1 for key in keys):
        raise ValueError(f"grades: each key must be one character, used once, found {', '.join(keys)}")
    if max(values) <= 0:
        raise ValueError("grades: at least one must be above 0")
    positive = [value for value in values if value > 0]
    if level not in positive:
        raise ValueError(f"level: choose {' or '.join(map(str, positive))}, found {level}")


def is_grade(word: str) -> bool:
    """Whether a decision is a grade; outcomes are words, and a judgment that was taken back is none."""
    return word.removeprefix("-").isdigit()
