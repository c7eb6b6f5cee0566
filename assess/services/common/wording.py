"""Numbers with their nouns, as pages and messages say them."""

from collections.abc import Iterable, Mapping

from assess.ir.campaign.protocol import Protocol


def number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


MOST = 5
"""The most names in a message."""


def listed(names: Iterable[object], most: int = MOST) -> str:
    """Names in a sentence: all of a few, else the first ones and how many more."""
    texts = list(map(str, names))
    head, last = (texts[:-1], texts[-1:]) if len(texts) <= most else (texts[:most], [f"{len(texts) - most:,} more"])
    return " and ".join([", ".join(head), *last] if head else last)


def shares(pairs: Iterable[tuple[object, object]], word: str = "to") -> str:
    """Things by person, such as "A.1 and A.4 to ada; A.2 to emmy"."""
    things: dict[str, dict[str, None]] = {}
    for thing, person in pairs:
        things.setdefault(str(person), {})[str(thing)] = None
    parts = [f"{listed(own)} {word} {person}" for person, own in things.items()]
    more = [f"and {len(parts) - MOST:,} more"] if len(parts) > MOST else []
    return "; ".join([*parts[:MOST], *more])


COUNTED = ("questions", "answers", "comments", "links", "formulas", "formulas_in_comments", "spurious")


def counts_of(rows: Mapping[str, int]) -> list[tuple[str, int]]:
    """How many rows of each kind a collection holds, in the order of the files, which JSON may not keep."""
    kinds = [*(kind for kind in COUNTED if kind in rows), *(kind for kind in rows if kind not in COUNTED)]
    return [(kind.replace("_", " ").capitalize(), rows[kind]) for kind in kinds]


def unit_word(rules: Protocol) -> str:
    return f"visually distinct {rules.words.unit}" if rules.has_visual_ids else rules.words.unit
