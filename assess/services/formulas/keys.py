"""The keys of a collection's formulas: computed once for each distinct LaTeX and stored in columns."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assess.ir.formulas.visual_ids import key
from assess.models import Collection
from assess.services.collection import collections
from assess.services.common import parquet, workspace
from assess.services.jobs.job_queue import OnProgress

BATCH = 2_000
BUILDING = "building layout trees"
RULES = 1
"""Increment this when `ir.formulas.visual_ids.key` changes, so that keys are recomputed."""

SCHEMA = {"latex": pl.String, "key": pl.String}


def keys_of(collection: Collection, formulas: pl.LazyFrame, on_progress: OnProgress) -> pl.DataFrame:
    """The keys of formulas (column latex) in columns latex and key, a number for each distinct key. Keys computed by
    earlier jobs, even interrupted ones, are reused."""
    wanted = formulas.select("latex").unique().collect(engine="streaming")
    folder = collections.collection_home(collection) / f"keys-{RULES}"
    folder.mkdir(parents=True, exist_ok=True)
    todo = wanted.join(stored_keys(folder), on="latex", how="anti")["latex"].sort()
    on_progress(0, len(todo), BUILDING)
    for done in compute_keys(folder, todo):
        on_progress(done, len(todo), BUILDING)
    keys = wanted.join(stored_keys(folder).unique("latex"), on="latex")
    return keys.select("latex", key=pl.col("key").rank("dense").cast(pl.UInt32))


def stored_keys(folder: Path) -> pl.DataFrame:
    files = parquet.files(folder)
    return pl.read_parquet(files) if files else pl.DataFrame(schema=SCHEMA)


def compute_keys(folder: Path, formulas: pl.Series) -> Iterator[int]:
    """Store the keys in batches; yields the number of keys after each formula."""
    batch = []
    for number, tex in enumerate(formulas, start=1):
        batch.append((tex, key(tex)))
        if len(batch) == BATCH or number == len(formulas):
            add_keys(folder, batch)
            batch = []
        yield number


def add_keys(folder: Path, rows: list[tuple[str, str]]) -> None:
    """Add a file of keys, completely or not at all."""
    path = workspace.new_path()
    pl.DataFrame(rows, SCHEMA, orient="row").write_parquet(path)
    path.rename(folder / f"{path.name}.parquet")
