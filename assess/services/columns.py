"""Bulk rows on disk: a folder of Parquet parts for each kind of row, read a part at a time."""

import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import polars as pl

Row = TypeVar("Row")
PART_ROWS = 50_000


def write(folder: Path, rows: Iterable[NamedTuple], tell: Callable[[int], None]) -> int:
    """Write a new folder; returns how many rows. ``tell`` hears the count after each part."""
    folder.mkdir(parents=True)
    source, count = iter(rows), 0
    for number, part in enumerate(iter(lambda: list(islice(source, PART_ROWS)), [])):
        rows_of_part = pl.DataFrame([row._asdict() for row in part], infer_schema_length=None)
        rows_of_part.write_parquet(folder / f"{number:05}.parquet", compression="zstd")
        count += len(part)
        tell(count)
    return count


def replace(fresh: Path, folder: Path) -> None:
    """Move a folder written elsewhere into its place, so that readers see all of it or nothing."""
    old = folder.with_name(f"{folder.name}.old-{uuid.uuid4().hex}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def frame(folder: Path, column: str, values: Iterable[str], fields: Sequence[str]) -> pl.DataFrame:
    """These fields (all of text) of the rows whose column holds one of the values, in one pass over the folder; no
    rows where nothing was written yet."""
    if not any(folder.glob("*.parquet")):
        return pl.DataFrame(schema=dict.fromkeys(fields, pl.String))
    wanted = pl.Series("wanted", list(set(values)), dtype=pl.String)
    rows = pl.scan_parquet(folder / "*.parquet").filter(pl.col(column).is_in(wanted.implode()))
    return rows.select(fields).collect(engine="streaming")


def matching(folder: Path, column: str, values: Iterable[str]) -> Iterator[pl.DataFrame]:
    """Part by part, the rows whose column holds one of the values."""
    wanted = pl.Series("wanted", sorted(set(values)), dtype=pl.String)
    for part in sorted(folder.glob("*.parquet")):
        yield pl.scan_parquet(part).filter(pl.col(column).is_in(wanted.implode())).collect()


def select(folder: Path, row_type: Callable[..., Row], column: str, values: Iterable[str]) -> Iterator[Row]:
    """The rows whose column holds one of the values."""
    for part in matching(folder, column, values):
        yield from (row_type(**as_fields(row)) for row in part.iter_rows(named=True))


def as_fields(row: dict[str, Any]) -> dict[str, Any]:
    """Lists come back from a column where tuples went in."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def pairs(folder: Path, key: str, value: str, keys: Iterable[str]) -> dict[str, str]:
    """A mapping from one column to another, for these keys."""
    return dict(frame(folder, key, keys, (key, value)).iter_rows())


def count_by(folder: Path, column: str) -> dict[str, int]:
    """How many rows hold each value of a column."""
    counts: dict[str, int] = {}
    for part in sorted(folder.glob("*.parquet")):
        for value, count in pl.scan_parquet(part).group_by(column).len().collect().iter_rows():
            counts[value] = counts.get(value, 0) + count
    return counts
