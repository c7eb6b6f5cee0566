"""Small files that go with runs: the role of each run in the pool, its team, and the answers of Task 3 by their ids."""

from collections.abc import Sequence
from typing import BinaryIO, get_args

from assess.ir.common.problems import Problems
from assess.ir.common.rows import PoolRole, RunLine
from assess.ir.formats.table import read_table, wrong_count

ROLES: tuple[PoolRole, ...] = get_args(PoolRole)


def read_roles(source: BinaryIO, name: str) -> dict[str, PoolRole]:
    """The role of each run, from lines of run and role. Raises ``BadInput`` for an unknown role or a repeated run."""
    values = read_by_run(source, name, "role", ROLES)
    return {run: role for run, value in values.items() for role in ROLES if role == value}


def read_teams(source: BinaryIO, name: str) -> dict[str, str]:
    """The team of each run, from lines of run and team; a team may have spaces if they are separated by a tab. Raises
    ``BadInput`` for a repeated run."""
    return read_by_run(source, name, "team")


def read_by_run(source: BinaryIO, name: str, column: str, allowed: Sequence[str] = ()) -> dict[str, str]:
    problems = Problems(name)
    values: dict[str, str] = {}
    for at, row in read_table(source, name, ("run", "topic", "answer", column)).rows():
        if wrong := wrong_count(row, ("run", column)):
            problems.add(at, wrong)
        elif allowed and row[1] not in allowed:
            problems.add(at, f"the {column} must be {', '.join(allowed[:-1])} or {allowed[-1]}, found {row[1]!r}")
        elif row[0] in values:
            problems.add(at, f"{row[0]} already has a {column}: keep one")
        else:
            values[row[0]] = row[1]
    problems.check()
    return values


def read_answers(source: BinaryIO, name: str) -> dict[str, list[RunLine]]:
    """The answers of each Task 3 run, from lines of run, topic and answer id. Raises ``BadInput`` if a run has two
    answers to a topic."""
    problems = Problems(name)
    runs: dict[str, dict[str, RunLine]] = {}
    for at, row in read_table(source, name, ("run", "topic", "answer")).rows():
        if wrong := wrong_count(row, ("run", "topic", "answer")):
            problems.add(at, wrong)
            continue
        run, topic_id, answer_id = row
        answers = runs.setdefault(run, {})
        if not run or not topic_id or not answer_id:
            problems.add(at, "run, topic and answer must not be empty")
        elif topic_id in answers:
            problems.add(at, f"{run} has already answered {topic_id}: keep one answer")
        answers[topic_id] = RunLine(topic_id, answer_id, 1, 0.0, run)
    problems.check()
    return {run: list(answers.values()) for run, answers in runs.items()}
