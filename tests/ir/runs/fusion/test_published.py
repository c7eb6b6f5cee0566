"""MIRMU's published ensemble, of which only the result can be checked: most of its runs are not published."""

import polars as pl
import pytest

from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.runs import read_run
from assess.ir.runs.fusion.lists import with_falling_scores
from assess.ir.runs.ranking import order
from assess.ir.scores import definitions, measures
from tests.real import data_file


def ndcg(ranking: pl.DataFrame) -> float:
    with data_file("qrels/qrels.arqmath-2020-task1.txt").open("rb") as source:
        qrels = read_qrels(source, "qrels").qrels
    scores = measures.score("ensemble", ranking.with_columns(unit_id="doc_id"), qrels)
    names = [definitions.NDCG]
    [mean] = measures.means(measures.complete_scores("ensemble", scores, qrels, names, "qrels"), names)
    return mean.value


def test_falling_scores_keep_the_result_of_the_ensemble_of_task_1() -> None:
    path = "runs/arqmath1-task1-ensembles/ensemble-task1.tsv"
    with data_file(path).open("rb") as source:
        run = order(read_run(source, path).lines, "rank")
    assert ndcg(with_falling_scores(run)) == pytest.approx(0.4194, abs=5e-5)
    assert ndcg(run) == pytest.approx(0.3979, abs=5e-5)
