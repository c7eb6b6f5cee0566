import json
from pathlib import Path

import pytest

from tests.ir.agreement.raters import kappa_of_scikit_learn
from tests.management.terminal import refused, run

JUDGMENTS = """assessor item grade
ann A.1/a 3
ann A.1/b 2
ann A.1/c 0
ann A.1/d 0
bob A.1/a 3
bob A.1/b 0
bob A.1/c 0
bob A.1/d do_not_know
cat A.1/a 3
cat A.1/b 3
dan A.9/z 1
"""


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    path = tmp_path / "judgments.tsv"
    path.write_text(JUDGMENTS.replace(" ", "\t"))
    return path


DEGENERATE = "kappa degenerate: one rater constant; relevance undefined: both raters constant"


def test_pairs_and_topics_are_printed_with_undefined_values_as_a_dash_and_the_reason(judgments: Path) -> None:
    printed = run("kappa", "--judgments", judgments)
    assert printed.header == ["first", "second", "n", "agreement", "kappa", "kappa_hm", "note"]
    assert printed.rows == [
        # 2 of 3 equal; chance (1*1 + 1*2) / 9 = 1/3. H+M 110 and 100: chance (2*1 + 1*2) / 9 = 4/9
        ["ann", "bob", "3", "0.6667", "0.5000", "0.4000", "1 with an outcome left out"],
        ["ann", "cat", "2", "0.5000", "0.0000", "—", DEGENERATE],
        ["ann", "dan", "0", "—", "—", "—", "no common items"],
        ["bob", "cat", "2", "0.5000", "0.0000", "0.0000", "kappa degenerate: one rater constant"],
        ["bob", "dan", "0", "—", "—", "—", "no common items"],
        ["cat", "dan", "0", "—", "—", "—", "no common items"],
    ]
    printed = run("kappa", "--judgments", judgments, "--by", "topic")
    assert printed.header == ["topic", "of", "n", "agreement", "kappa", "kappa_hm", "note"]
    # three pairs with 3, 2 and 2 common items in A.1: 2 + 1 + 1 of 7 equal; A.9 has no pair
    fewer = "kappa over 1 of 3; relevance over 1 of 3"
    assert printed.rows == [
        ["A.1", "3", "7", "0.5714", "0.5000", "0.4000", fewer],
        ["all, mean over pairs", "3", "7", "0.5714", "0.5000", "0.4000", fewer],
        ["all, mean over topics", "1", "7", "0.5714", "0.5000", "0.4000", ""],
    ]


def test_weights_and_intervals_are_options(judgments: Path) -> None:
    words = ["kappa", "--judgments", judgments]
    linear = kappa_of_scikit_learn([3, 2, 0], [3, 0, 0], labels=range(4), weights="linear")  # both graded a, b and c
    assert run(*words, "--weights", "linear").rows[0][4:6] == [f"{linear:.4f}", "0.4000"]  # relevance has none
    first, second = json.loads(run(*words, "--intervals", "--json").out)[:2]
    assert (first["prevalence"], first["kappa"]) == (0.5, pytest.approx(0.5, abs=1e-12))
    assert first["low_hm"] < 0.4 < first["high_hm"]
    assert (second["low"], second["high"]) == (None, None)  # degenerate


def test_other_labels_and_exports_are_read(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    rows = "".join(f"{name}\t{item}\t{label}\n" for name in "ab" for item, label in enumerate(["no", "maybe", "yes"]))
    path.write_text(f"assessor\titem\tgrade\n{rows}")
    words = ["--judgments", path, "--labels", "no", "maybe", "yes", "--intervals"]
    assert run("kappa", *words).rows[0][4] == "0.6667"  # maybe and yes: the upper half
    assert run("kappa", *words, "--relevant", "yes").rows[0][4] == "0.3333"
    assert "must be one of maybe, yes" in refused("kappa", *words, "--relevant", "no")
    assert "at least two different labels" in refused("kappa", "--judgments", path, "--labels", "no", "no")
    path = tmp_path / "export.csv"
    path.write_text(EXPORT.replace(" ", ","))
    assert run("kappa", "--judgments", path).rows[0][2:4] == ["3", "0.3333"]
    assert run("kappa", "--judgments", path, "--level", "visual").rows[0][2:4] == ["2", "1.0000"]
    assert "leave out the labels" in refused("kappa", "--judgments", path, "--labels", "0", "1")
    path.write_text(path.read_text() + "B.1 v1 f1 formula bob main 1  1 - - - -\n".replace(" ", ","))
    assert refused("kappa", "--judgments", path) == (
        "export.csv:8: bob has already judged B.1/f1, in line 5: keep one of them"
    )


EXPORT = """topic unit document kind assessor round grade outcome active_seconds created changed guide comment
B.1 v1 f1 formula ann main 3  1 - - - -
B.1 v1 f2 formula ann main 0  1 - - - -
B.1 v2 f3 formula ann main 0  1 - - - -
B.1 v1 f1 formula bob dual 0  1 - - - -
B.1 v1 f2 formula bob dual 3  1 - - - -
B.1 v2 f3 formula bob dual 0  1 - - - -
"""


@pytest.mark.parametrize(
    ("old", "new", "words", "reason"),
    [
        (
            "A.9/",
            "",
            ["--by", "topic"],
            "judgments.tsv: has items without a topic: for --by topic, write them as TOPIC",
        ),
        ("", "", ["--level", "visual"], "give an export"),
        ("dan\tA.9/z", "ann\tA.1/a", [], "judgments.tsv:12: ann has already judged A.1/a, in line 2: keep one of them"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_the_reason(
    old: str, new: str, words: list[str], reason: str, judgments: Path
) -> None:
    judgments.write_text(judgments.read_text().replace(old, new))
    assert reason in refused("kappa", "--judgments", judgments, *words)
