"""The keys of a collection's formulas: computed once for each different LaTeX and kept in columns."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assess.ir.formulas import latexml
from assess.ir.formulas.visual_ids import key, latex_key
from assess.models import Collection
from assess.services.collection import collections
from assess.services.common import parquet, workspace
from assess.services.jobs.job_queue import OnProgress

BATCH = 2_000
DRAWING = "drawing layout trees"
RULES = 1
"""Count this up when `ir.formulas.visual_ids.key` changes, so that keys are computed anew."""

SCHEMA = {"latex": pl.String, "key": pl.String, "latexml": pl.Boolean}


def keyed(
    collection: Collection, formulas: pl.LazyFrame, on_progress: OnProgress, *, with_latexml: bool = False
) -> pl.DataFrame:
    """The keys of formulas (column latex): columns latex and key, a number for each different key. What an earlier
    job computed, even one that was cut short, is not computed again."""
    wanted = formulas.select("latex").unique().collect(engine="streaming")
    folder = collections.home(collection) / f"keys-{RULES}"
    folder.mkdir(parents=True, exist_ok=True)
    todo = wanted.join(stored(folder), on="latex", how="anti")["latex"].sort()
    on_progress(0, len(todo), DRAWING)
    for done in compute(folder, todo):
        on_progress(done, len(todo), DRAWING)
    if with_latexml:
        add_latexml(folder, wanted, on_progress)
    found = wanted.join(best(stored(folder)), on="latex")
    return found.select("latex", key=pl.col("key").rank("dense").cast(pl.UInt32))


def stored(folder: Path) -> pl.DataFrame:
    parts = parquet.files(folder)
    return pl.read_parquet(parts) if parts else pl.DataFrame(schema=SCHEMA)


def best(keys: pl.DataFrame) -> pl.DataFrame:
    """One key for each LaTeX: where LaTeXML was asked, what it gave."""
    return keys.sort("latexml", descending=True).unique("latex", keep="first", maintain_order=True)


def compute(folder: Path, formulas: pl.Series) -> Iterator[int]:
    """Store the keys, a part at a time; says after each formula how many there are."""
    part = []
    for number, tex in enumerate(formulas, start=1):
        part.append((tex, key(tex), False))
        if len(part) == BATCH or number == len(formulas):
            add(folder, part)
            part = []
        yield number


def add_latexml(folder: Path, wanted: pl.DataFrame, on_progress: OnProgress) -> None:
    """Ask LaTeXML for the formulas that latex2mathml does not understand, unless it was asked before."""
    known = best(stored(folder).join(wanted, on="latex", how="semi")).filter(~pl.col("latexml"))
    todo = [tex for tex, found in known.select("latex", "key").iter_rows() if found == latex_key(tex)]
    for start in range(0, len(todo), latexml.BATCH):
        part = todo[start : start + latexml.BATCH]
        on_progress(start, len(todo), "asking LaTeXML")
        made = latexml.presentation(part)
        add(folder, [(tex, key(tex, mathml), True) for tex, mathml in zip(part, made, strict=True)])


def add(folder: Path, rows: list[tuple[str, str, bool]]) -> None:
    """A part appears whole or not at all."""
    part = workspace.new_path()
    pl.DataFrame(rows, SCHEMA, orient="row").write_parquet(part)
    part.rename(folder / f"{part.name}.parquet")
