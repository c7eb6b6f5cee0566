"""Tables of scores: means of systems by measure, and values of measures that were computed elsewhere."""

import io
import json
from collections.abc import Iterator
from typing import BinaryIO

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import ScoreRow
from assess.ir.formats.packed import unpacked
from assess.ir.formats.table import as_meant, parse_float, read_table, rows_by_key, wrong_count

COLUMNS = ("run", "topic", "measure", "value")
UNDEFINED = ("", "—", "-")
SHAPES = "a column run and one for each measure; or the columns run, measure and value, as manage.py score prints"
Means = dict[str, dict[str, float]]
"""The means by measure and run."""


def read_scores(source: BinaryIO, name: str) -> list[ScoreRow]:
    """Lines of run, topic, measure and value, perhaps below a header. Raises ``BadInput`` for no number or a second."""

    def wrong_value(row: list[str]) -> str:
        return "" if parse_float(row[3]) is not None else f"the value must be a finite number, found {row[3]!r}"

    rows = rows_by_key(source, name, COLUMNS, 3, wrong_value).values()
    return [ScoreRow(run, topic, measure, float(value)) for run, topic, measure, value in rows]


def read_means(source: BinaryIO, name: str) -> Means:
    """The means of runs, from what ``manage.py score`` prints (also as JSON, with all digits) or a table with a column
    for each measure. Undefined ones (an empty field or a dash) are left out. Raises ``BadInput`` for anything else, and
    a second value for the same run and measure."""
    problems = Problems(name)
    means: Means = {}
    for at, run, measure, text in mean_cells(source, name):
        value = parse_float(text)
        of_measure = means.setdefault(measure, {})
        if text in UNDEFINED:
            continue
        if value is None:
            problems.add(at, f"the value of {measure} must be a finite number, found {text!r}")
        elif run in of_measure:
            problems.add(at, f"{run} already has a value of {measure}: keep one")
        else:
            of_measure[run] = value
    problems.check()
    return means


def mean_cells(source: BinaryIO, name: str) -> Iterator[tuple[int, str, str, str]]:
    """Line, run, measure and value as text."""
    data = unpacked(source, name).read()
    if data.lstrip().startswith(b"["):
        try:
            found = [(row["run"], row["measure"], row["value"]) for row in json.loads(data)]
        except (ValueError, KeyError, TypeError) as error:
            expected = "a list of objects with run, measure and value, as score --json prints"
            raise refuse(name, f"expected {expected}: {error!r}") from error
        yield from ((0, str(run), str(measure), "" if value is None else str(value)) for run, measure, value in found)
        return
    rows = read_table(io.BytesIO(data), name).rows()
    at, columns = next(rows)
    if columns[0].lower() != "run" or len(columns) < 2:
        raise refuse(name, f"expected {SHAPES}; found the columns {', '.join(columns)[:80]}", at)
    if "topic" in columns:
        raise refuse(name, "these are values of topics: print means (score without --per-topic)", at)
    is_long = {"measure", "value"} <= set(columns)
    for at, row in rows:
        if wrong := wrong_count(row, columns):
            raise refuse(name, wrong, at)
        if is_long:
            yield at, as_meant(row[0]), row[columns.index("measure")], row[columns.index("value")]
        else:
            for measure, text in zip(columns[1:], row[1:], strict=True):
                yield at, as_meant(row[0]), measure, text
