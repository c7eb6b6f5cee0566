import csv
import json
from pathlib import Path

import pytest

from tests.management.terminal import refused, run
from tests.real import data_file

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


def test_pairs_are_printed_with_undefined_values_as_a_dash_and_the_reason(judgments: Path) -> None:
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


DEGENERATE = "kappa degenerate: one rater constant; H+M undefined: both raters constant"


def test_assessors_are_printed_with_their_mean_over_the_pairs_that_count(judgments: Path) -> None:
    printed = run("kappa", "--judgments", judgments, "--by", "assessor")
    assert printed.header == ["assessor", "partners", "kappa", "kappa_hm", "note"]
    assert printed.rows == [
        [
            "ann",
            "2",
            "0.5000",
            "0.4000",
            "kappa over 1 of 2; H+M over 1 of 2 partners, the rest undefined or degenerate",
        ],
        [
            "bob",
            "2",
            "0.5000",
            "0.4000",
            "kappa over 1 of 2; H+M over 1 of 2 partners, the rest undefined or degenerate",
        ],
        ["cat", "2", "—", "—", "kappa over 0 of 2; H+M over 0 of 2 partners, the rest undefined or degenerate"],
        ["dan", "0", "—", "—", "no common items"],
    ]


def test_json_has_null_for_undefined_and_rounded_numbers(judgments: Path) -> None:
    rows = json.loads(run("kappa", "--judgments", judgments, "--json").out)
    assert (rows[0]["n"], rows[0]["agreement"], rows[2]["kappa"]) == (3, 0.6667, None)


def test_a_bad_file_is_refused_with_file_line_and_reason(judgments: Path) -> None:
    judgments.write_text(judgments.read_text() + "ann\tA.1/a\t2\n")
    assert refused("kappa", "--judgments", judgments) == (
        "judgments.tsv:13: ann has already judged A.1/a, in line 2: keep one of them"
    )


@pytest.mark.parametrize("place", range(3))
def test_published_confusion_matrices_give_their_kappas(place: int, tmp_path: Path) -> None:
    with data_file("agreement/published_confusion_matrices.tsv").open() as source:
        published = list(csv.DictReader(source, delimiter="\t"))[place]
    lines = []
    for i, counts in enumerate(json.loads(published["matrix_rows_json"])):
        for j, count in enumerate(counts):
            items = [f"{i}-{j}-{number}" for number in range(count)]
            lines += [f"first\t{item}\t{i}\nsecond\t{item}\t{j}\n" for item in items]
    path = tmp_path / "judgments.tsv"
    path.write_text("assessor\titem\tgrade\n" + "".join(lines))
    ((_, _, n, agreement, kappa, _, _),) = run("kappa", "--judgments", path).rows
    assert int(n) == len(lines)
    assert abs(float(kappa) - float(published["kappa"])) <= 0.0005
    assert abs(float(agreement) - float(published["raw_agreement"])) <= 0.005
