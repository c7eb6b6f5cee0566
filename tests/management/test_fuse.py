"""``manage.py fuse``: files in, a run file out."""

from io import BytesIO
from pathlib import Path

import pytest

from assess.ir.formats.runs import read_run
from tests.management.terminal import Printed, refused, run

FIRST = "A.1\t11\t1\t9\tfirst\nA.1\t12\t2\t5\tfirst\nA.2\t21\t1\t3\tfirst\n"
SECOND = "A.1\t12\t1\t0.9\tsecond\nA.1\t13\t2\t0.8\tsecond\nA.2\t22\t1\t3\tsecond\n"
FORMULAS = "B.1\t100\t11\t1\t9\tone\nB.1\t200\t12\t2\t5\tone\n", "B.1\t101\t13\t1\t9\ttwo\nB.1\t300\t14\t2\t1\ttwo\n"
INDEX = (
    "id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n"
    "100\t11\t10\tanswer\tv1\tx\n101\t13\t10\tanswer\tv1\tx\n200\t12\t10\tanswer\tv2\ty\n300\t14\t10\tanswer\tv3\tz\n"
)
QRELS = "A.1\t0\t11\t3\nA.1\t0\t12\t0\nA.2\t0\t21\t2\nA.2\t0\t22\t0\n"


def paths(folder: Path, *texts: str) -> list[str]:
    files = [folder / f"file{number}.tsv" for number, _ in enumerate(texts)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return [str(file) for file in files]


def fused(folder: Path, method: str, *options: str, texts: tuple[str, ...] = (FIRST, SECOND)) -> Printed:
    return run("fuse", "--method", method, "--run", *paths(folder, *texts), *options)


def fuse(folder: Path, method: str, *options: str, texts: tuple[str, ...] = (FIRST, SECOND)) -> list[list[str]]:
    return [line.split("\t") for line in fused(folder, method, *options, texts=texts).out.splitlines()]


def test_the_result_is_a_run_of_the_same_format(tmp_path: Path) -> None:
    rows = fuse(tmp_path, "rrf", "--k", "0", "--name", "both")
    assert rows[0] == ["A.1", "12", "1", "1.5", "both"]
    assert [row[:3] for row in rows] == [
        ["A.1", "12", "1"], ["A.1", "11", "2"], ["A.1", "13", "3"], ["A.2", "22", "1"], ["A.2", "21", "2"],
    ]  # fmt: skip
    file = read_run(BytesIO(fused(tmp_path, "rrf", "--name", "both").out.encode()), "fused.tsv")
    assert (file.format, file.tag, file.notes) == ("task1", "both", [])
    trec = "A.1 Q0 11 1 9 first\nA.1 Q0 12 2 5 first\n"
    assert fuse(tmp_path, "hybrid", "--top", "1", texts=(trec, trec.replace("first", "second")))[1] == [
        "A.1", "Q0", "12", "2", "999.0", "hybrid",
    ]  # fmt: skip
    assert len(fuse(tmp_path, "rrf", texts=(trec, SECOND))[0]) == 5  # with one of Task 1, that of Task 1
    rows = fuse(tmp_path, "rrf", texts=FORMULAS)
    assert sorted(row[1:3] for row in rows) == [["100", "11"], ["101", "13"], ["200", "12"], ["300", "14"]]
    (tmp_path / "index.tsv").write_text(INDEX)
    rows = fuse(tmp_path, "rrf", "--formula-index", str(tmp_path / "index.tsv"), texts=FORMULAS)
    assert [row[1:4] for row in rows] == [["100", "11", "1"], ["300", "14", "2"], ["200", "12", "3"]]
    assert fuse(tmp_path, "mean")[0] == ["A.1", "12", "1", "0.5", "mean"]


def test_ties_and_models_are_printed(tmp_path: Path) -> None:
    printed = fused(tmp_path, "ensemble", "--last-key", "list")
    assert [line.split(":") for line in printed.err.splitlines()] == [
        ["tied after median inverse rank", " 20.00 %"],  # of five documents, only 21 and 22 tie
        ["tied after frequency", " 20.00 %"],
        ["tied after striped inverse rank", " 20.00 %"],
        ["tied after list", " 0.00 %"],
    ]
    (tmp_path / "qrels.txt").write_text(QRELS)
    printed = fused(tmp_path, "regression", "--qrels", str(tmp_path / "qrels.txt"), "--training", "A.1")
    rows = [line.split("\t")[:2] for line in printed.out.splitlines()]
    assert rows == [["A.2", "21"], ["A.2", "22"]]  # the first run is right in A.1
    assert "trained on 1 topics, scored 1: 2 units" in printed.err
    folds = fuse(tmp_path, "regression", "--qrels", str(tmp_path / "qrels.txt"), "--folds", "2", "--seed", "3")
    assert {row[0] for row in folds} == {"A.1", "A.2"}


@pytest.mark.parametrize(
    ("words", "texts", "reason"),
    [
        ("rrf --alpha 0.5", (FIRST, SECOND), "rrf: alpha: leave it out; this method takes k"),
        ("mean --weights 1 2", (FIRST, SECOND), "this method takes no options"),
        ("sum --weights 1", (FIRST, SECOND), "weights: 1 for 2 runs"),
        ("regression", (FIRST, SECOND), "--qrels: regression needs them"),
        ("rrf --qrels x", (FIRST, SECOND), "only regression uses them"),
        ("rrf --formula-index x", (FIRST, SECOND), "these runs hold no formulas"),
        ("rrf --name \x01", (FIRST, SECOND), "--name: at most"),
        ("rrf", (FIRST,), "Choose 2 to 100 runs (1 chosen)"),
        ("rrf", (FIRST, FORMULAS[0]), "fuse them separately"),
        ("rrf", (FIRST, "A.1\t1\t9\tthird\t\tAn answer.\n"), "no two of them share an answer"),
    ],
)
def test_what_does_not_go_together_is_refused(words: str, texts: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    assert reason in refused("fuse", "--run", *paths(tmp_path, *texts), "--method", *words.split(" "))
