"""Keys of formulas, and how well they reproduce the labs' visual ids."""

from collections.abc import Sequence

import pytest
from sklearn.metrics.cluster import pair_confusion_matrix

from assess.ir.common.rows import FormulaRow
from assess.ir.formats.formula_index import iter_formulas
from assess.ir.formulas.visual_ids import key, latex_key
from tests.real import data_file


def precision_and_recall(truth: Sequence[str], ours: Sequence[str]) -> tuple[float, float]:
    """The share of the pairs joined by ours that the truth joins too, and of those joined by the truth that ours do."""
    (_, only_ours), (only_true, both) = pair_confusion_matrix(truth, ours)
    return both / (both + only_ours), both / (both + only_true)


def test_the_tree_of_the_mathml_takes_precedence_over_that_of_the_latex() -> None:
    assert key("y", "<math><mi>x</mi></math>") == key("x") == "V!x"


def test_mathml_in_place_of_latex_is_understood() -> None:
    assert key('<?xml version="1.0"?> <math alttext="x"><mi>x</mi></math>') == "V!x"


@pytest.mark.parametrize("mathml", ["<math><merror><mtext>\\binom</mtext></merror></math>", "<math"])
def test_the_latex_replaces_mathml_of_a_failed_conversion(mathml: str) -> None:
    assert key("x", mathml) == "V!x"


def test_the_key_of_latex_without_a_tree_is_the_latex_without_white_space() -> None:
    assert key(r"\foo  x ") == r"\foox" == latex_key(r"\ foo x".replace("\\ ", "\\"))


def test_pairs_are_counted_over_instances() -> None:
    truth = ["a", "a", "a", "b"]  # three pairs
    clusters = ["x", "x", "y", "y"]  # two, one of them correct
    assert precision_and_recall(truth, clusters) == (1 / 2, 1 / 3)


def real(path: str) -> dict[str, FormulaRow]:
    with data_file(path).open("rb") as file:
        return {row.formula_id: row for row in iter_formulas(file, path)}


@pytest.fixture(scope="module")
def index() -> dict[str, FormulaRow]:
    return real("formula-index/formulas.v3.tsv")


@pytest.mark.parametrize(("first", "second"), [("747183", "2059640"), ("13792596", "5705903"), ("19296649", "4372624")])
def test_trees_join_real_formulas_that_differ_in_latex(first: str, second: str, index: dict[str, FormulaRow]) -> None:
    assert index[first].visual_id == index[second].visual_id
    assert latex_key(index[first].latex) != latex_key(index[second].latex)
    assert key(index[first].latex) == key(index[second].latex)


def test_trees_separate_real_formulas_that_share_their_latex() -> None:
    """The topic's text of the second is escaped twice, and the lab converted it so: & l t ; are in its tree."""
    latex = real("topic-formulas/2020_formulas_latex.tsv")
    trees = real("topic-formulas/2020_formulas_slt.tsv")
    first, second = "q_400", "q_404"
    assert latex_key(latex[first].latex) == latex_key(latex[second].latex) == "0<r<p-1"
    assert key("", trees[first].latex) != key("", trees[second].latex)


@pytest.mark.parametrize(("year", "precision", "formulas"), [("2020", 0.998, 842), ("2021", 1, 838)])
def test_trees_of_latex_give_the_clusters_of_the_labs_mathml(year: str, precision: float, formulas: int) -> None:
    trees = real(f"topic-formulas/{year}_formulas_slt.tsv")
    latex = real(f"topic-formulas/{year}_formulas_latex.tsv")
    sound = [formula for formula in latex if formula in trees and "ltx_ERROR" not in trees[formula].latex]
    shares = precision_and_recall(*([key(rows[formula].latex) for formula in sound] for rows in (trees, latex)))
    assert len(sound) == formulas
    assert shares[0] >= precision
    assert shares[1] == 1


def test_clusters_are_nearly_those_of_the_lab(index: dict[str, FormulaRow]) -> None:
    """Over the first 8,000 formulas."""
    rows = list(index.values())[:8000]
    keys = {latex: key(latex) for latex in {row.latex for row in rows}}
    precision, recall = precision_and_recall([row.visual_id for row in rows], [keys[row.latex] for row in rows])
    assert precision > 0.96
    assert recall > 0.999
