"""Topics needed and stability on the command line."""

from pathlib import Path
from typing import Any

import pytest

from tests.management.terminal import run
from tests.real import data_file

TOPICS = ["A.1", "A.2", "A.3", "A.4"]
PLACES = {"best": [1, 1, 1, 2], "next": [1, 2, 1, 2], "last": [2, 2, 2, 2]}
"""The place of the only relevant document, for each topic."""


@pytest.fixture
def words(tmp_path: Path) -> list[Any]:
    (tmp_path / "qrels").write_text("".join(f"{topic}\t0\tx\t3\n{topic}\t0\ty\t0\n" for topic in TOPICS))
    for name, places in PLACES.items():
        ranked = {topic: "xy" if place == 1 else "yx" for topic, place in zip(TOPICS, places, strict=True)}
        rows = [f"{topic}\t{doc}\t{n}\t{-n}\t{name}\n" for topic, docs in ranked.items() for n, doc in enumerate(docs)]
        (tmp_path / name).write_text("".join(rows))
    return ["power", "--qrels", tmp_path / "qrels", "--run", *(tmp_path / name for name in PLACES)]


def test_pairs_are_printed_with_the_topics_that_they_need(words: list[Any]) -> None:
    ndcg = [row[1:] for row in run(*words).rows if row[0] == "nDCG'"]
    # d is 1 - 1/log2(3) on one of four topics: mean d / 4, deviation d / 2, so that d_z is a half
    assert ndcg[0] == ["best", "next", "4", "0.0923", "0.1845", "0.3910", "34", ""]
    assert [row[:3] for row in ndcg] == [["best", "next", "4"], ["next", "last", "4"]]
    best = run(*words, "--table", "best").rows
    assert [row[1:3] for row in best[:2]] == [["best", "next"], ["best", "last"]]
    precision = next(row for row in best if row[0] == "P'@10")
    assert precision[4:] == ["0.0000", "0.0000", "—", "—", "no difference on any topic"]


def test_stability_is_printed_for_a_seed(words: list[Any]) -> None:
    printed = run(*words, "--table", "stability", "--seed", 7)
    assert printed.out == run(*words, "--table", "stability", "--seed", 7).out
    assert printed.header == ["measure", "topics", "tau", "low", "high", "swapped"]
    assert [row[1] for row in printed.rows if row[0] == "nDCG'"] == ["1", "2"]
    assert run(*words, "--table", "error-rates").header == ["measure", "least", "below", "pairs", "swaps", "rate"]


def test_real_runs_need_fewer_topics_the_further_they_are_apart() -> None:
    names = ("prim_MathDowsers-task1-alpha05noReRank-auto-both-A", "prim_psu-task1-auto-both-A2", "Linked_MSE")
    runs = [data_file(f"runs/arqmath1-task1/{name}.tsv") for name in names]
    printed = run(
        "power", "--qrels", data_file("qrels/qrels.arqmath-2020-task1.txt"), "--run", *runs, "--table", "best"
    )
    near, far = ([int(row[3]), float(row[4]), int(row[7])] for row in printed.rows if row[0] == "nDCG'")
    assert near[0] == far[0] == 77
    # the means of expected_results.tsv, to its four digits
    assert [near[1], far[1]] == pytest.approx([0.3446 - 0.2791, 0.3446 - 0.2105], abs=1.01e-4)
    assert near[2] > far[2]
