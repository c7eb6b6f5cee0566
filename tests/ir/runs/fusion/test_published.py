"""MIRMU's published ensembles. Most of the runs they were made from are not published, so only what follows from the
rule can be checked."""

from collections.abc import Iterator

import polars as pl
import pytest

from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.runs import read_run
from assess.ir.runs.fusion.lists import with_falling_scores
from assess.ir.runs.ranking import LIMIT, order
from assess.ir.scores import definitions, measures
from tests.real import data_file

ENSEMBLES = "runs/arqmath1-task1-ensembles/ensemble-task{}.tsv"
OWN = "runs/arqmath1-task1/prim_MIRMU-task1-Ensemble-auto-both-A.tsv"


def published(path: str) -> pl.DataFrame:
    """A run in the order of its rank column, with the median of each document (from 0)."""
    with data_file(path).open("rb") as source:
        lines = read_run(source, path).lines
    return order(lines, "rank").with_columns(median=(LIMIT * (1 - pl.col("score"))).round(6))


def ndcg(ranking: pl.DataFrame) -> float:
    with data_file("qrels/qrels.arqmath-2020-task1.txt").open("rb") as source:
        qrels = read_qrels(source, "qrels").qrels
    scores = measures.score("ensemble", ranking.with_columns(unit_id="doc_id"), qrels)
    names = [definitions.NDCG]
    [mean] = measures.means(measures.complete_scores("ensemble", scores, qrels, names, "qrels"), names)
    return mean.value


@pytest.mark.parametrize("path", [ENSEMBLES.format(2), OWN])
def test_the_median_of_three_ranks_is_the_second_and_each_list_has_a_rank_once(path: str) -> None:
    run = published(path).filter(pl.col("median") < LIMIT)
    assert (run["median"] % 1 == 0).all()
    for topic in run.partition_by("topic_id"):
        medians = topic["median"].sort().to_list()
        assert all(2 * count <= 3 * (median + 1) for count, median in enumerate(medians, start=1))
        assert topic["median"].value_counts()["count"].max() <= 3  # type: ignore[operator]


def halves(run: pl.DataFrame) -> Iterator[float]:
    return (median for median in run["median"] if median % 1)


def test_the_ensemble_of_task_1_has_half_ranks_and_falling_scores_keep_its_result() -> None:
    """The paper names seven."""
    assert len(list(halves(published(ENSEMBLES.format(1))))) == 2290
    run = published(ENSEMBLES.format(1))
    assert ndcg(with_falling_scores(run)) == pytest.approx(0.4194, abs=5e-5)
    assert ndcg(run) == pytest.approx(0.3979, abs=5e-5)
