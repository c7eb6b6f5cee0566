"""Pool files: the documents to judge, with their votes."""

from collections.abc import Iterable, Sequence
from typing import BinaryIO

from assess.ir.common.ids import wrong_id
from assess.ir.common.problems import Problems
from assess.ir.common.rows import PoolLine
from assess.ir.formats.table import expect_columns, parse_float, parse_int, read_table, wrong_count

COLUMNS = ("topic", "unit", "doc", "votes", "runs")
MOST_RUNS = 1_000_000
INSTEAD = "; choose a file made by “manage.py pool”, or build the pool from the runs"


def write_pool(lines: Iterable[PoolLine]) -> str:
    """The lines with a header. Reading and writing the text again does not change it."""
    rows = (f"{line.topic_id}\t{line.unit_id}\t{line.doc_id}\t{line.votes:.15g}\t{line.runs}\n" for line in lines)
    return "\t".join(COLUMNS) + "\n" + "".join(rows)


def read_pool(source: BinaryIO, name: str) -> list[PoolLine]:
    """The lines of a pool file, in order. Raises ``BadInput`` for another header, an empty id, a document twice in a
    topic, and votes or runs that are not numbers from 0."""
    problems = Problems(name)
    firsts: dict[tuple[str, str], int] = {}
    lines = []
    table = read_table(source, name, COLUMNS)
    header = expect_columns(table, name, COLUMNS, INSTEAD)
    for at, fields in table.rows():
        row = [fields[header[column]] for column in COLUMNS] if len(fields) == len(header) else fields
        reason = wrong_count(row, COLUMNS) or wrong_row(row)
        if reason:
            problems.add(at, reason)
            continue
        topic_id, unit_id, doc_id, votes, runs = row
        first = firsts.setdefault((topic_id, doc_id), at)
        if first != at:
            problems.add(at, f"{doc_id} is already in {topic_id}, in line {first}: keep one of them")
        lines.append(PoolLine(topic_id, unit_id, doc_id, float(votes), int(runs)))
    problems.check()
    return lines


def wrong_row(row: Sequence[str]) -> str:
    for column, text in zip(COLUMNS[:3], row, strict=False):
        if reason := wrong_id(text):
            return f"the {column} {reason}"
    votes, runs = parse_float(row[3]), parse_int(row[4])
    if votes is None or votes < 0:
        return f"votes must be a number, 0 or more, found {row[3]!r}"
    if runs is None or not 0 <= runs <= MOST_RUNS:
        return f"runs must be a whole number from 0 to {MOST_RUNS:,}, found {row[4][:40]!r}"
    return ""
