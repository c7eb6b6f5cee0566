"""Small files that go with runs: the role of each run in the pool, its team, and the answers of Task 3 by their ids."""

from typing import BinaryIO, get_args

from assess.ir.common.problems import Problems
from assess.ir.common.rows import PoolRole, RunLine
from assess.ir.formats.table import read_table, wrong_count

ROLES: tuple[PoolRole, ...] = get_args(PoolRole)


def read_roles(source: BinaryIO, name: str) -> dict[str, PoolRole]:
    """The role of each run, from lines of run and role. Raises ``BadInput`` for an unknown role or a repeated run."""
    problems = Problems(name)
    roles: dict[str, PoolRole] = {}
    for at, row in read_table(source, name).rows():
        role = next((role for role in ROLES if row[1:] == [role]), None)
        if len(row) != 2:
            problems.add(at, wrong_count(row, ("run", "role")))
        elif role is None:
            problems.add(at, f"the role must be {', '.join(ROLES[:-1])} or {ROLES[-1]}, found {row[1]!r}")
        elif row[0] in roles:
            problems.add(at, f"{row[0]} already has a role: keep one")
        else:
            roles[row[0]] = role
    problems.check()
    return roles


def read_teams(source: BinaryIO, name: str) -> dict[str, str]:
    """The team of each run, from lines of run and team; a team may have spaces if they are separated by a tab. Raises
    ``BadInput`` for a repeated run."""
    problems = Problems(name)
    teams: dict[str, str] = {}
    for at, row in read_table(source, name).rows():
        if wrong := wrong_count(row, ("run", "team")):
            problems.add(at, wrong)
        elif row[0] in teams:
            problems.add(at, f"{row[0]} already has a team: keep one")
        else:
            teams[row[0]] = row[1]
    problems.check()
    return teams


def read_answers(source: BinaryIO, name: str) -> dict[str, list[RunLine]]:
    """The answers of each Task 3 run, from lines of run, topic and answer id. Raises ``BadInput`` if a run has two
    answers to a topic."""
    problems = Problems(name)
    runs: dict[str, dict[str, RunLine]] = {}
    for at, row in read_table(source, name).rows():
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
