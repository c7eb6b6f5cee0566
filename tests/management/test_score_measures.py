"""The measures that ``manage.py score`` offers beyond the main ones."""

import json
from math import log2
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from assess.ir.formats.runs import written_id
from assess.ir.scores.definitions import offered_measures
from tests.management.terminal import refused, run
from tests.management.test_score import QRELS, RUN

WORDS = {"gpt": "x y z", "ext": "x y", "late": "x q"}


@pytest.fixture
def ranked(tmp_path: Path) -> list[object]:
    """The words that score one run."""
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r.tsv").write_text(RUN)
    return ["score", "--qrels", tmp_path / "q", "--run", tmp_path / "r.tsv"]


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
