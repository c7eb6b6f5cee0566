"""Small files that go with runs: the role of each run in the pool, and the answers of Task 3 by their ids."""

from typing import BinaryIO, cast, get_args

from assess.ir.common.rows import PoolRole, RunLine
from assess.ir.formats.table import rows_by_key

ROLES: tuple[PoolRole, ...] = get_args(PoolRole)


def read_roles(source: BinaryIO, name: str) -> dict[str, PoolRole]:
    """The role of each run, from lines of run and role. Raises ``BadInput`` for an unknown role or a repeated run."""
    rows = rows_by_key(source, name, ("run", "role"), 1, wrong_role)
    return {run: cast(PoolRole, role) for run, role in rows.values()}


def wrong_role(row: list[str]) -> str:
    return "" if row[1] in ROLES else f"the role must be {', '.join(ROLES[:-1])} or {ROLES[-1]}, found {row[1]!r}"


def read_answers(source: BinaryIO, name: str) -> dict[str, list[RunLine]]:
    """The answers of each Task 3 run, from lines of run, topic and answer id. Raises ``BadInput`` if a run has two
    answers to a topic."""
    runs: dict[str, list[RunLine]] = {}
    for run, topic_id, answer_id in rows_by_key(source, name, ("run", "topic", "answer"), 2, wrong_answer).values():
        runs.setdefault(run, []).append(RunLine(topic_id, answer_id, 1, 0.0, run))
    return runs


def wrong_answer(row: list[str]) -> str:
    return "" if row[2] else "the answer must not be empty"
