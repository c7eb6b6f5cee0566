"""Small formula indexes for tests."""

from pathlib import Path

from assess.models import Campaign
from assess.services.collection.preparing import CollectionFile
from tests.cast import import_files, on_progress

Row = tuple[str, str, str]
"""Formula id, visual id (or empty) and LaTeX. Its post is its id without the last digit."""


def import_index(campaign: Campaign, folder: Path, *rows: Row) -> None:
    lines = ["id\tpost_id\tthread_id\ttype\tvisual_id\tformula"]
    lines += [f"{formula}\t{formula[:-1]}\t{formula[0]}0\tanswer\t{visual}\t{tex}" for formula, visual, tex in rows]
    path = folder / "formulas.tsv"
    path.write_text("\n".join(lines) + "\n")
    import_files(campaign.collection, [CollectionFile("formulas", path.name, path)], on_progress)
