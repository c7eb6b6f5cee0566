"""Numbers with their nouns, as pages and messages say them."""

from collections.abc import Mapping

from assess.ir.campaign.presets import Protocol
from assess.models import Campaign


def number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


COUNTED = ("questions", "answers", "comments", "links", "formulas", "formulas_in_comments", "spurious")


def counts_of(rows: Mapping[str, int]) -> list[tuple[str, int]]:
    """How many rows of each kind a collection holds, with what they are called, in the order of the files. JSON of a
    database or a campaign file may have another order."""
    kinds = [*(kind for kind in COUNTED if kind in rows), *(kind for kind in rows if kind not in COUNTED)]
    return [(kind.replace("_", " ").capitalize(), rows[kind]) for kind in kinds]


def unit_word(rules: Protocol) -> str:
    """What is pooled and scored, in words."""
    if rules.task == "answers":
        return "answer"
    return "visually distinct formula" if rules.has_visual_ids else "formula"


def document_word(campaign: Campaign) -> str:
    """What is shown and judged, in words."""
    return "instance" if campaign.is_formulas else "answer"
