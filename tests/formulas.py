"""Small formula indexes for tests."""

from pathlib import Path

from assess.models import Campaign
from tests.cast import import_texts

Row = tuple[str, str, str]
"""Formula id, visual id (or empty) and LaTeX. Its post is its id without the last digit."""


def import_index(campaign: Campaign, folder: Path, *rows: Row) -> None:
    lines = ["id\tpost_id\tthread_id\ttype\tvisual_id\tformula"]
    lines += [f"{formula}\t{formula[:-1]}\t{formula[0]}0\tanswer\t{visual}\t{tex}" for formula, visual, tex in rows]
    import_texts(campaign.collection, folder, formulas="\n".join(lines) + "\n")
