"""Topics and documents of the package ir_datasets, if it is installed, as files that our readers take."""

import gzip
import json
from pathlib import Path
from typing import Any

from assess.ir.common.problems import refuse

PREFIX = "irds:"
"""What the id of a dataset begins with if it stands in place of a file; PyTerrier has the same."""


def write_irds(source: str, part: str, path: Path) -> None:
    """Write the ``topics`` or the ``documents`` of a dataset (``irds:vaswani``) as JSON lines, packed, one at a time.
    The package downloads what it does not have yet. Raises ``BadInput`` without the package or this part, and for what
    it cannot get or read."""
    try:
        import ir_datasets
    except ImportError as error:
        reason = "the package ir_datasets is not installed; name a file, or install it (pip install ir_datasets)"
        raise refuse(source, reason) from error
    try:
        dataset = ir_datasets.load(source.removeprefix(PREFIX))
    except KeyError as error:
        raise refuse(source, "ir_datasets has no dataset of this id; ir-datasets.com lists them") from error
    kind, row_of = ("queries", topic_row) if part == "topics" else ("docs", document_row)
    if not dataset.has(kind):
        raise refuse(source, f"this dataset of ir_datasets has no {part}; name another, or a file")
    try:
        with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
            for record in getattr(dataset, f"{kind}_iter")():
                file.write(json.dumps(row_of(record)) + "\n")
    except (OSError, RuntimeError, ValueError) as error:
        raise refuse(source, f"ir_datasets could not read the {part}: {error}") from error


def topic_row(record: Any) -> dict[str, str]:
    """All its texts; the one that it calls its own is the title if it has none."""
    texts = {name: value for name, value in record._asdict().items() if isinstance(value, str)}
    return {"title": record.default_text()} | texts


def document_row(record: Any) -> dict[str, str]:
    """Its title, and its own text without the title that it may begin with."""
    title, text = getattr(record, "title", ""), record.default_text()
    text = text.removeprefix(title).strip()
    return {"doc_id": record.doc_id, "title": title, "text": text, "url": getattr(record, "url", "")}
