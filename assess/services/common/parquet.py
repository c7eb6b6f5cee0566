"""Bulk rows on disk: a folder of Parquet files for each kind of row, written and read one file (part) at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import polars as pl

Row = TypeVar("Row")
Change = Callable[[pl.DataFrame], pl.DataFrame]
Keys = npt.NDArray[np.uint64]

PART_ROWS = 20_000
PART_LENGTH = 50_000_000
"""The most that the lengths of the rows of a part, if they are measured, add up to before its last row."""
TYPES: dict[Any, Any] = {str: pl.String, Literal: pl.String, bool: pl.Boolean, UnionType: pl.Int64, float: pl.Float64}
"""The column types of texts, booleans, integers that may be missing, and numbers; tuples hold texts."""

NUMBERS = 1 << 63


def schema(row_type: type[NamedTuple]) -> dict[str, Any]:
    hints = get_type_hints(row_type).items()
    return {name: TYPES.get(get_origin(hint) or hint, pl.List(pl.String)) for name, hint in hints}


def frames(
    rows: Iterable[Row], row_type: type[Row], length: Callable[[Row], int] = lambda row: 0
) -> Iterator[pl.DataFrame]:
    """The rows in columns, a part at a time; of rows whose ``length`` is measured, fewer if they are long."""
    source, types = iter(rows), schema(row_type)  # type: ignore[arg-type]
    while part := part_of(source, length):
        fields = zip(types.items(), zip(*part, strict=True), strict=True)
        yield pl.DataFrame([column(name, values, kind) for (name, kind), values in fields])


def part_of(rows: Iterator[Row], length: Callable[[Row], int]) -> list[Row]:
    part, total = [], 0
    for row in islice(rows, PART_ROWS):
        part.append(row)
        total += length(row)
        if total > PART_LENGTH:
            break
    return part


def column(name: str, values: tuple[Any, ...], kind: Any) -> pl.Series:
    if kind != pl.List:
        return pl.Series(name, values, kind)
    # Converting tuple by tuple would double the time; no text in them contains a line break.
    joined = pl.Series(name, map("\n".join, values), pl.String).str.split("\n")
    return joined.list.eval(pl.element().filter(pl.element() != ""))


def write(folder: Path, parts: Iterable[pl.DataFrame], change: Change, on_progress: Callable[[int], None]) -> None:
    """Write a new folder of the parts, each after a ``change``, reading the next part meanwhile. ``on_progress``
    receives the number of rows after each part."""
    folder.mkdir(parents=True)
    count = 0
    with ThreadPoolExecutor(1) as writer:
        last: Future[Any] = writer.submit(int)
        for number, part in enumerate(parts):
            last.result()
            last = writer.submit(write_part, folder / f"{number:05}.parquet", part, change)
            count += len(part)
            on_progress(count)
        last.result()


def unchanged(part: pl.DataFrame) -> pl.DataFrame:
    return part


def write_part(file: Path, part: pl.DataFrame, change: Change) -> None:
    change(part).write_parquet(file, compression="zstd", compression_level=1)


def files(folder: Path) -> list[Path]:
    """The parts in the order of their rows; none if nothing was written yet."""
    return sorted(folder.glob("*.parquet"))


def parts(folder: Path, fields: list[str]) -> Iterator[pl.DataFrame]:
    """These fields of the rows, a part at a time."""
    return (pl.read_parquet(file, columns=fields) for file in files(folder))


def scan(folder: Path, types: Mapping[str, Any]) -> pl.LazyFrame:
    """All rows; none, in columns of these types, if nothing was written yet."""
    return pl.scan_parquet(files(folder)) if files(folder) else pl.LazyFrame(schema=types)


def frame(folder: Path, column: str, values: Iterable[str], types: dict[str, Any]) -> pl.DataFrame:
    """These columns of the rows whose ``column`` holds one of the values, in one pass over the folder. A column of text
    that parts written by an older version lack is empty."""
    wanted = pl.Series("wanted", list(set(values)), dtype=pl.String)
    rows = scan(folder, types).filter(pl.col(column).is_in(wanted.implode()))
    known = rows.collect_schema().names()
    rows = rows.with_columns(pl.lit("").alias(name) for name in types if name not in known and types[name] == pl.String)
    return rows.select(list(types)).collect(engine="streaming")


def select(folder: Path, row_type: Callable[..., Row], column: str, values: Iterable[str]) -> Iterator[Row]:
    rows = frame(folder, column, values, schema(row_type))  # type: ignore[arg-type]
    return (row_type(*(tuple(cell) if isinstance(cell, list) else cell for cell in row)) for row in rows.iter_rows())


def pairs(folder: Path, key: str, value: str, keys: Iterable[str]) -> dict[str, str]:
    """A mapping from one column to another, for these keys."""
    return dict(frame(folder, key, keys, {key: pl.String, value: pl.String}).iter_rows())


def count_by(folder: Path, *columns: str) -> dict[Any, int]:
    """How many rows hold each value of a column, or each tuple of values of several."""
    counts = scan(folder, dict.fromkeys(columns, pl.String)).group_by(columns).len().collect(engine="streaming")
    return {row[0] if len(columns) == 1 else row[:-1]: row[-1] for row in counts.iter_rows()}


def count(folder: Path) -> int:
    return int(scan(folder, {}).select(pl.len()).collect(engine="streaming").item())


def keys(ids: pl.Series) -> Keys:
    """A number for each id: 28 million texts would take gigabytes. An id that is a number stays that number; any two
    other ids of a lab share one with a probability below 1 in 10,000."""
    number = ids.cast(pl.UInt64, strict=False)
    plain = (number.cast(pl.String) == ids) & (number < NUMBERS)
    return (
        pl.select(pl.when(plain.fill_null(False)).then(number).otherwise(ids.hash() | NUMBERS)).to_series().to_numpy()
    )


def is_among(ids: Keys, others: Keys) -> pl.Series:
    """Which of some keys are among the others, which are sorted."""
    if not len(others):
        return pl.Series(np.zeros(len(ids), dtype=bool))
    places = np.searchsorted(others, ids)
    return pl.Series(others[np.minimum(places, len(others) - 1)] == ids)


def repeated(folder: Path, column: str) -> pl.Series:
    """The ids that an earlier row has, too, one for each such row, in the order of the rows."""
    every = np.concatenate([keys(part[column]) for part in parts(folder, [column])] or [np.zeros(0, np.uint64)])
    every.sort()
    twice = np.unique(every[1:][every[1:] == every[:-1]])
    if not len(twice):
        return pl.Series(dtype=pl.String)
    ids = pl.concat([part[column].filter(is_among(keys(part[column]), twice)) for part in parts(folder, [column])])
    return ids.filter(~ids.is_first_distinct())
