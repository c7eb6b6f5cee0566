"""``manage.py score``: its tables, options and refusals, and the measures that it offers beyond the main ones."""

import csv
import json
import os
import shlex
import subprocess
import sys
import weakref
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.core.management.base import CommandError

from assess.ir.formats.runs import written_id
from assess.ir.scores.definitions import offered_measures
from assess.management import scoring
from tests.management.terminal import refused, run
from tests.real import data_file

ROOT = Path(__file__).resolve().parents[2]
QRELS = "A.1\t0\thigh\t3\nA.1\t0\tnone\t0\nA.2\t0\tother\t2\n"
RUN = "A.1\tnone\t1\t0.5\tteam\nA.1\tnew\t2\t0.4\tteam\nA.1\thigh\t3\t0.3\tteam\n"  # new: unjudged, A.2: missing


Write = Callable[[str, str], Path]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


def test_means_are_printed_with_four_decimals_over_the_topics_of_the_qrels(file: Write) -> None:
    printed = run("score", "--qrels", file("q", QRELS), "--run", file("r.tsv", RUN))
    assert printed.out == (
        "run\tmeasure\tvalue\ttopics\n"
        "team\tnDCG'\t0.3155\t2\n"  # 1/log2(3) = 0.6309 and 0
        "team\tMAP'\t0.2500\t2\n"
        "team\tP'@10\t0.0500\t2\n"
        "team\tbpref\t0.0000\t2\n"
        "team\tjudged@10\t0.3333\t2\n"  # 2 of 3 and none
    )
    assert printed.err == (
        "warning: team: topics of the qrels without a judged document: 1 (counted as 0)\n"
        "warning: team: less than 80% of the first ten are judged (judged@10)\n"
    )
    extended = RUN + "Z.9\thigh\t1\t1\tteam\n"
    plain = run("score", "--qrels", file("q", QRELS), "--run", file("r.tsv", RUN))
    printed = run("score", "--qrels", file("q", QRELS), "--run", file("s.tsv", extended))
    assert printed.out == plain.out
    assert "warning: team: topics that the qrels do not have: 1 (left out)\n" in printed.err
    words = ["score", "--qrels", file("q", QRELS), "--run", file("r.tsv", RUN), "--average", "run"]
    assert run(*words).rows[0] == ["team", "nDCG'", "0.6309", "1"]
    assert "1 (left out)\n" in run(*words).err


def test_categories_level_and_order_are_options(file: Write) -> None:
    words = ["score", "--qrels", file("q", QRELS), "--run", file("r.tsv", RUN), "--measure", "MAP'", "P'@10"]
    sheet = file("sheet.csv", "Topic,Category,Assessor\nA.1,Proof,2\nA.3,Proof,2\n")
    assert run(*words, "--sheet", sheet).rows == [
        ["team", "all", "MAP'", "0.2500", "2"],
        ["team", "all", "P'@10", "0.0500", "2"],
        ["team", "Proof", "MAP'", "0.5000", "1"],
        ["team", "Proof", "P'@10", "0.1000", "1"],
        ["team", "not noted", "MAP'", "0.0000", "1"],
        ["team", "not noted", "P'@10", "0.0000", "1"],
    ]
    assert run(*words, "--sheet", sheet, "--by", "assessor").rows[2][:2] == ["team", "2"]
    assert "has no column Mood" in refused(*words, "--sheet", sheet, "--by", "Mood")
    ranks = RUN.replace("\t3\t0.3", "\t0\t0.3")
    words = ["score", "--qrels", file("q", QRELS), "--run", file("r.tsv", ranks), "--average", "run"]
    assert run(*words, "--order", "rank").rows[1] == ["team", "MAP'", "1.0000", "1"]
    assert run(*words, "--level", 3).rows[1] == ["team", "MAP'", "0.5000", "1"]
    printed = run(*words, "--level", 4)
    assert printed.rows[1] == ["team", "MAP'", "0.0000", "1"]
    assert "no unit of the qrels is relevant: none has grade 4; choose another --level" in printed.err


def test_formulas_are_scored_by_the_first_of_each_visual_id(file: Write) -> None:
    index = "id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n" + "".join(
        f"{formula}\t1\t1\tanswer\t{visual}\tx\n" for formula, visual in (("f1", "v1"), ("f2", "v1"), ("f3", "v2"))
    )
    task2 = "".join(f"B.1\tf{place}\t9\t{place}\t{9 - place}\tteam\n" for place in (1, 2, 3, 4))
    qrels = "B.1\t0\tv2\t3\nB.1\t0\tv1\t0\nB.2\t0\tv1\t3\n"
    words = ["score", "--qrels", file("q", qrels), "--run", file("r", task2)]
    printed = run(*words, "--formula-index", file("i", index))
    assert printed.rows[1] == ["team", "MAP'", "0.5000", "1"]  # v1, v2: the second v1 is dropped; B.2 left out
    assert printed.rows[4] == ["team", "judged@10", "1.0000", "1"]
    assert "warning: team: 1 of 4 formulas have no visual id and are skipped" in printed.err  # f4
    message = refused(*words)
    assert "no document in common, for B.1: f1, f2, f3, f4 in the run, v1, v2 in the qrels" in message
    assert "--formula-index" in message
    header = "id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n"
    row = "f1\t1\t1\tanswer\tv1\tx\n"
    words = ["score", "--qrels", file("q", QRELS), "--run", file("r", "B.1\tf1\t9\t1\t1\tt\n"), "--formula-index"]
    assert refused(*words, file("v1", (header + row).replace("visual_id\t", "").replace("v1\t", ""))) == (
        "v1: the index has no visual ids; take its version 2 or 3"
    )
    ambiguous = file("two", header + row + row.replace("v1", "v2"))
    assert refused(*words, ambiguous) == "two: formula f1 has two visual ids, v1 and v2: keep one"
    task1 = ["score", "--qrels", file("q", QRELS), "--run", file("r", RUN), "--formula-index", ambiguous]
    assert refused(*task1).endswith("r holds no formulas: leave it out")


def test_bad_files_are_refused_with_file_line_and_reason(file: Write, tmp_path: Path) -> None:
    files = [file("r", RUN), file("w", "A.1\t1\t1\tw\ts\tx\n")]
    assert "score them separately" in refused("score", "--qrels", file("q", QRELS), "--run", *files)
    qrels, good = file("q", QRELS), file("r.tsv", RUN)
    bad = file("bad.tsv", RUN + "A.1\tx\t1\n")
    expected = "bad.tsv:4: expected 5 fields (topic, document, rank, score, run), found 3"
    assert refused("score", "--qrels", qrels, "--run", bad) == expected
    missing = tmp_path / "no"
    assert refused("score", "--qrels", missing, "--run", good) == f"{missing}: No such file or directory"
    assert refused("score", "--qrels", good, "--run", good) == (
        "r.tsv:1: this looks like a run (5 columns, with rank and score); choose qrels: topic, 0, unit, grade"
    )
    printed = refused("score", "--qrels", file("qrels", "A.301\t0\t7\t2\n"), "--run", file("r.tsv", RUN))
    assert "team: no topic in common: A.1 in the run, A.301 in the qrels" in printed


@pytest.mark.parametrize("line", range(9))
def test_published_results_and_negative_controls_reproduce(line: int) -> None:
    with data_file("expected_results.tsv").open() as source:
        results = list(csv.DictReader(source, delimiter="\t"))
    assert len(results) == 9
    expected = results[line]
    words = ["--qrels", data_file(expected["qrels"]), "--run", data_file(expected["run"])]
    average = "qrels" if expected["averaging"] == "all qrels topics" else "run"
    printed = run("score", *words, "--order", expected["order"], "--average", average)
    columns = ["nDCG'", "MAP'(rel>=2)", "P'@10(rel>=2)", "bpref(rel>=2)"]
    assert [row[2] for row in printed.rows[:4]] == [expected[column] for column in columns]
    assert {row[3] for row in printed.rows} == {expected["n_topics"]}
    values = [published for published in expected["published"].split("/") if published.startswith(".")]
    for row, published in zip(printed.rows, values, strict=False):
        assert abs(float(row[2]) - float(published)) < 0.0006


def test_published_values_of_topics_and_of_task_3_reproduce() -> None:
    run_file = "runs/arqmath1-task1/prim_MathDowsers-task1-alpha05noReRank-auto-both-A.tsv"
    qrels = data_file("qrels/qrels.arqmath-2020-task1.txt")
    printed = run("score", "--qrels", qrels, "--run", data_file(run_file), "--per-topic")
    of_topics = {topic: value for _, topic, measure, value in printed.rows if measure == "nDCG'"}
    text = data_file("runs/arqmath1-task1/MathDowsers.per-topic-ndcg.txt").read_text()
    published = {topic: value for _, topic, value in map(str.split, text.splitlines()) if topic != "all"}
    assert len(published) == 77
    assert of_topics == published
    qrels = data_file("task3/qrels.arqmath-2022-task3-official.txt")
    printed = run("score", "--qrels", qrels, "--answers", data_file("task3/teams_document_id.tsv"))
    computed = {(name, measure): (value, topics) for name, measure, value, topics in printed.rows}
    with data_file("task3/expected_results.tsv").open() as source:
        expected = list(csv.DictReader(source, delimiter="\t"))
    assert len(computed) == 2 * len(expected) == 28
    for row in expected:
        for measure, column in (("AR", "AR"), ("P@1", "P1")):
            value, topics = computed[row["run"], measure]
            assert topics == row["n_judged"]
            assert abs(float(value) - float(row[column])) < 0.0006


MODULES = """
import sys
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", *sys.argv[1:]])
print(*sys.modules, file=sys.stderr)
"""


def test_a_pipe_is_read_like_a_file_and_no_library_is_loaded_that_is_not_needed(file: Write) -> None:
    """As in a shell: ``score --qrels <(zcat …)``."""
    qrels, run_file = file("q", QRELS), file("r", RUN)
    command = [sys.executable, "-c", MODULES, "score", "--qrels", "/dev/stdin", "--run", str(run_file)]
    words = ["bash", "-c", f"cat {qrels} | {shlex.join(command)}"]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "assess.settings"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == run("score", "--qrels", qrels, "--run", run_file).out
    assert {"polars", "lxml", "scipy", "sklearn"} & set(done.stderr.split()) == {"polars"}


def test_one_run_is_in_memory_at_a_time(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier: list[weakref.ref[pl.DataFrame]] = []

    def ranked(*arguments: Any) -> scoring.RankedRun:
        assert not any(ranking() is not None for ranking in earlier)
        made = original(*arguments)
        earlier.append(weakref.ref(made.ranking))
        return made

    original = scoring.ScoringCommand.ranked
    monkeypatch.setattr(scoring.ScoringCommand, "ranked", ranked)
    paths = [file(f"{name}.tsv", RUN) for name in "abc"]
    run("score", "--qrels", file("q", QRELS), "--run", *paths)
    assert len(earlier) == 3


WORDS = {"gpt": "x y z", "ext": "x y", "late": "x q"}


@pytest.fixture
def ranked(file: Write) -> list[object]:
    """The words that score one run."""
    return ["score", "--qrels", file("q", QRELS), "--run", file("r.tsv", RUN)]


def values(*words: object) -> dict[str, tuple[str, str]]:
    """The means and their numbers of topics, by measure."""
    return {row[1]: (row[2], row[3]) for row in run(*words).rows}


def test_any_measures_and_the_gain_can_be_chosen(ranked: list[object], tmp_path: Path) -> None:
    names = ["MAP", "MRR", "P@5", "P@hit", "judged@5"]
    made = values(*ranked, "--average", "run", "--measure", *names, "--measure", "P\N{PRIME}@3")
    third = ("0.3333", "1")
    rest = {"P@5": ("0.2000", "1"), "judged@5": ("0.6667", "1")}
    assert made == {"MAP": third, "MRR": third, "P@hit": third, "P'@3": third} | rest
    every = values(*ranked, "--measure", *(measure.name for measure in offered_measures("answers")))
    assert list(every) == [measure.name for measure in offered_measures("answers")]
    (tmp_path / "q").write_text(QRELS.replace("none\t0", "none\t1"))
    row = json.loads(run(*ranked, "--measure", "nDCG'", "--gain", "exponential", "--average", "run", "--json").out)[0]
    assert row["value"] == pytest.approx((1 + 7 / log2(3)) / (7 + 1 / log2(3)), abs=1e-12)
    assert values(*ranked, "--average", "run", "--measure", "bpref hm") == {"bpref hm": ("0.0000", "1")}
    printed = run(*ranked, "--average", "run", "--measure", "bpref hm", "--per-topic")
    assert [row[2] for row in printed.rows] == ["bpref full", "bpref partial"]


def test_means_have_intervals(ranked: list[object]) -> None:
    printed = run(*ranked, "--measure", "P'@5", "--intervals")
    assert printed.header == ["run", "measure", "value", "topics", "low", "high"]
    assert printed.rows == [["team", "P'@5", "0.1000", "2", "-1.1706", "1.3706"]]  # 0.1 ± 12.706 * 0.1
    assert run(*ranked, "--measure", "P'@5", "--intervals", "--average", "run").rows[0][4:] == ["—", "—"]


def test_measures_of_other_runs_and_those_that_do_not_exist_are_refused(ranked: list[object]) -> None:
    message = refused(*ranked, "--measure", "nDCG'", "LO", "CS")
    assert message.startswith("--measure: these runs have no LO, CS; they have nDCG', MAP'")
    with pytest.raises(CommandError, match="no measure 'AUC': choose from nDCG', MAP'"):
        run(*ranked, "--measure", "AUC")


@pytest.fixture
def written(tmp_path: Path) -> list[object]:
    """The words that score three runs of written answers; those of gpt and ext are relevant."""
    for name, text in WORDS.items():
        (tmp_path / name).write_text(f"A.1\t1\t1\t{name}\t\t{text}\n")
    grades = {"gpt": 3, "ext": 2, "late": 0}
    lines = [f"A.1\t0\t{written_id('A.1', WORDS[name])}\t{grade}\n" for name, grade in grades.items()]
    (tmp_path / "q").write_text("".join(lines))
    return ["score", "--qrels", tmp_path / "q", "--run", *(tmp_path / name for name in WORDS)]


def test_lexical_overlap_follows_from_texts_but_not_other_values(written: list[object], tmp_path: Path) -> None:
    rows = run(*written, "--measure", "LO").rows
    assert [(row[0], row[2]) for row in rows] == [("gpt", "0.8000"), ("ext", "0.8000"), ("late", "0.5000")]
    reason = "no file here has values of CS, UI: the page Scores imports them"
    assert reason in refused(*written, "--measure", "CS", "AR", "UI")
    (tmp_path / "answers").write_text("gpt\tA.1\td_1\n")
    words = [*written[:3], "--answers", tmp_path / "answers", "--measure", "LO"]
    assert "LO follows from the texts in --run files" in refused(*words)
