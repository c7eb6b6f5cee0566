"""Pool files: the documents to judge, with their votes; the role of each run in the pool; and answers of Task 3."""

from collections.abc import Iterable, Sequence
from typing import BinaryIO, cast, get_args

from assess.ir.common.rows import PoolLine, PoolRole, RunLine, grouped, wrong_id
from assess.ir.formats.table import parse_float, parse_int, rows_by_key

COLUMNS = ("topic", "unit", "doc", "votes", "runs")
MOST_RUNS = 1_000_000
ROLES: tuple[PoolRole, ...] = get_args(PoolRole)


def write_pool(lines: Iterable[PoolLine]) -> str:
    """The lines with a header. Reading and writing the text again does not change it."""
    rows = (f"{line.topic_id}\t{line.unit_id}\t{line.doc_id}\t{line.votes:.15g}\t{line.runs}\n" for line in lines)
    return "\t".join(COLUMNS) + "\n" + "".join(rows)


def read_pool(source: BinaryIO, name: str) -> list[PoolLine]:
    """The lines of a pool file, in order. Raises ``BadInput`` for another header, an empty id, a document twice in a
    topic, and votes or runs that are not numbers from 0."""
    rows = rows_by_key(source, name, ("topic", "doc", "unit", "votes", "runs"), 2, wrong_row, needs_header=True)
    return [PoolLine(topic, unit, doc, float(votes), int(runs)) for topic, doc, unit, votes, runs in rows.values()]


def wrong_row(row: Sequence[str]) -> str:
    for column, text in zip(("topic", "doc", "unit"), row, strict=False):
        if reason := wrong_id(text):
            return f"the {column} {reason}"
    votes, runs = parse_float(row[3]), parse_int(row[4])
    if votes is None or votes < 0:
        return f"votes must be a number, 0 or more, found {row[3]!r}"
    if runs is None or not 0 <= runs <= MOST_RUNS:
        return f"runs must be a whole number from 0 to {MOST_RUNS:,}, found {row[4][:40]!r}"
    return ""


def read_roles(source: BinaryIO, name: str) -> dict[str, PoolRole]:
    """The role of each run, from lines of run and role. Raises ``BadInput`` for an unknown role or a repeated run."""
    rows = rows_by_key(source, name, ("run", "role"), 1, wrong_role)
    return {run: cast(PoolRole, role) for run, role in rows.values()}


def wrong_role(row: list[str]) -> str:
    return "" if row[1] in ROLES else f"the role must be {', '.join(ROLES[:-1])} or {ROLES[-1]}, found {row[1]!r}"


def read_answers(source: BinaryIO, name: str) -> dict[str, list[RunLine]]:
    """The answers of Task 3 runs, from lines of run, topic and answer id. Raises ``BadInput`` for two to a topic."""
    rows = rows_by_key(source, name, ("run", "topic", "answer"), 2, lambda row: "" if row[2] else "the answer is empty")
    return grouped((run, RunLine(topic_id, answer_id, 1, 0.0, run)) for run, topic_id, answer_id in rows.values())
