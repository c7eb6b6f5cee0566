"""Leave one team out on the command line: the files of `tests.ir.scores.test_reusability`, and runs of 2020."""

import csv
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.management.terminal import refused, run
from tests.real import data_file

LISTS = {"alpha": "abc", "beta": "ad", "gamma": "be", "late": "dfa"}
ROLES = "alpha primary\nbeta primary\ngamma primary\nlate none\n"
TEAMS = "alpha\tTeam X\nbeta\tTeam X\ngamma\tY\nlate\tZ\n"
QRELS = "A.1\t0\ta\t3\nA.1\t0\tb\t0\nA.1\t0\td\t2\nA.1\t0\te\t1\n"

Words = Callable[..., list[Any]]


@pytest.fixture
def words(tmp_path: Path) -> Words:
    """The words of the command, with other files for some of its own."""

    def command(**files: str) -> list[Any]:
        texts = {"roles": ROLES, "teams": TEAMS, "qrels": QRELS} | files
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        for name, units in LISTS.items():
            rows = [f"A.1\t{unit}\t{rank}\t{-rank}\t{name}\n" for rank, unit in enumerate(units, start=1)]
            (tmp_path / f"{name}.tsv").write_text("".join(rows))
        options = [word for name in texts for word in (f"--{name}", tmp_path / name)]
        depth = ["--preset", "arqmath2-task1", "--primary-depth", "2"]
        return ["reusability", *options, *depth, "--run", *(tmp_path / f"{name}.tsv" for name in LISTS)]

    return command


def test_contributions_are_printed_by_run_and_by_team(words: Words) -> None:
    assert run(*words(), "--table", "runs").rows == [
        ["alpha", "Team X", "2", "1", "0", "0", "0.3333", "1"],
        ["beta", "Team X", "2", "2", "1", "1", "0.0000", "1"],
        ["gamma", "Y", "2", "0", "1", "0", "0.0000", "1"],
        ["late", "Z", "—", "—", "—", "—", "0.3333", "1"],
    ]
    assert run(*words(), "--table", "teams").rows == [["Team X", "3", "2", "2", "2"], ["Y", "2", "0", "1", "0"]]


def test_without_teams_every_run_is_one(words: Words) -> None:
    command = words()
    at = command.index("--teams")
    printed = run(*command[:at], *command[at + 2 :], "--table", "teams")
    assert [row[0] for row in printed.rows] == ["alpha", "beta", "gamma"]


def test_a_run_without_a_team_is_refused(words: Words) -> None:
    message = refused(*words(teams=TEAMS.replace("late\tZ\n", "alpha\tX\n")))
    assert message == "teams:4: alpha is repeated: keep one line"
    assert "no team for late (" in refused(*words(teams=TEAMS.replace("late\tZ\n", "")))
    assert "no role for late (" in refused(*words(roles=ROLES.replace("late none\n", "")))


RUNS = {
    "prim_MIRMU-task1-Ensemble-auto-both-A": "MIRMU",
    "prim_MathDowsers-task1-alpha05noReRank-auto-both-A": "MathDowsers",
    "prim_psu-task1-auto-both-A2": "PSU",
    "prim_psu-task1-auto-both-P": "PSU",
}
DEPTH = 50


def test_leaving_a_real_team_out_is_scoring_with_qrels_without_its_units(tmp_path: Path) -> None:
    """The same by another way: prefixes as sets in Python, a file of the remaining qrels, and `score`."""
    qrels = data_file("qrels/qrels.arqmath-2020-task1.txt")
    files = {name: data_file(f"runs/arqmath1-task1/{name}.tsv") for name in RUNS}
    tags = {name: file.read_text().split("\n", 1)[0].split("\t")[-1].strip() for name, file in files.items()}
    names = {name: tags[name] if list(tags.values()).count(tags[name]) == 1 else name for name in RUNS}
    (tmp_path / "roles").write_text("".join(f"{names[name]}\tprimary\n" for name in RUNS))
    (tmp_path / "teams").write_text("".join(f"{names[name]}\t{team}\n" for name, team in RUNS.items()))
    options = ["--roles", tmp_path / "roles", "--teams", tmp_path / "teams", "--preset", "arqmath1-task1"]
    printed = run("reusability", "--qrels", qrels, "--run", *files.values(), *options)

    gone = prefixes(files, "PSU") - prefixes(files, "MIRMU") - prefixes(files, "MathDowsers")
    kept = [line for line in qrels.read_text().split("\n") if line and (line.split()[0], line.split()[2]) not in gone]
    (tmp_path / "qrels").write_text("\n".join(kept))
    runs = [files[name] for name, team in RUNS.items() if team == "PSU"]
    scored = run("score", "--qrels", tmp_path / "qrels", "--run", *runs, "--average", "qrels").rows
    of_team = [row for row in printed.rows if row[0] == "PSU"]
    assert {(row[3], row[4]): row[6] for row in of_team} == {
        (row[0], row[1]): row[2] for row in scored if row[1] != "judged@10"
    }
    assert {row[5] for row in of_team if row[4] == "nDCG'"} == {"0.2105", "0.2277"}  # as published
    judged = sum(1 for line in qrels.read_text().split("\n") if line)
    assert {int(row[1]) for row in of_team} == {judged - len(kept)}


def prefixes(files: dict[str, Path], team: str) -> set[tuple[str, str]]:
    """The first documents of each topic, by score, in the runs of a team."""
    units = set()
    for name, file in files.items():
        if RUNS[name] == team:
            topics = defaultdict(list)
            for row in csv.reader(file.open(newline=""), delimiter="\t"):
                score, doc_id = float(row[-2]), row[1] if len(row) == 5 else row[2]
                topics[row[0]].append((score, doc_id))
            units |= {(topic, doc) for topic, rows in topics.items() for _, doc in sorted(rows, reverse=True)[:DEPTH]}
    return units
