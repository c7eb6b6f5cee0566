import pytest

from assess.ir.formats.formula_index import iter_formulas
from assess.ir.formulas.visual_ids import key, latex_key, pair_scores
from tests.real import data_file


def test_the_key_is_the_tree_of_the_mathml_before_that_of_the_latex():
    assert key("y", "<math><mi>x</mi></math>") == key("x") == "V!x"


def test_an_index_of_mathml_instead_of_latex_is_understood():
    assert key('<?xml version="1.0"?> <math alttext="x"><mi>x</mi></math>') == "V!x"


@pytest.mark.parametrize("mathml", ["<math><merror><mtext>\\binom</mtext></merror></math>", "<math"])
def test_mathml_of_a_failed_conversion_gives_way_to_the_latex(mathml):
    assert key("x", mathml) == "V!x"


def test_latex_that_makes_no_tree_counts_without_its_white_space():
    assert key(r"\foo  x ") == r"\foox" == latex_key(r"\ foo x".replace("\\ ", "\\"))


def test_pairs_are_counted_over_instances():
    truth = ["a", "a", "a", "b"]  # three pairs
    found = ["x", "x", "y", "y"]  # two, one of them right
    scores = pair_scores(truth, found)
    assert (scores.precision, scores.recall, scores.pairs) == (1 / 2, 1 / 3, 3)
    assert pair_scores(["a"], ["x"]) == (None, None, 0)


def real(path):
    with data_file(path).open("rb") as file:
        return {row.formula_id: row for row in iter_formulas(file, path)}


@pytest.fixture(scope="module")
def index():
    return real("formula-index/formulas.v3.tsv")


@pytest.mark.parametrize(("one", "other"), [("747183", "2059640"), ("13792596", "5705903"), ("19296649", "4372624")])
def test_real_formulas_that_their_latex_separates_and_their_tree_joins(one, other, index):
    assert index[one].visual_id == index[other].visual_id
    assert latex_key(index[one].latex) != latex_key(index[other].latex)
    assert key(index[one].latex) == key(index[other].latex)


def test_real_formulas_that_their_latex_joins_and_their_tree_separates():
    """The topic's text of the second is escaped twice, and the lab converted it so: & l t ; stand in its tree."""
    latex = real("topic-formulas/2020_formulas_latex.tsv")
    trees = real("topic-formulas/2020_formulas_slt.tsv")
    one, other = "q_400", "q_404"
    assert latex_key(latex[one].latex) == latex_key(latex[other].latex) == "0<r<p-1"
    assert key("", trees[one].latex) != key("", trees[other].latex)


@pytest.mark.parametrize(("year", "precision", "formulas"), [("2020", 0.998, 842), ("2021", 1, 838)])
def test_trees_of_latex_cluster_as_the_trees_of_the_labs_mathml(year, precision, formulas):
    trees = real(f"topic-formulas/{year}_formulas_slt.tsv")
    latex = real(f"topic-formulas/{year}_formulas_latex.tsv")
    sound = [one for one in latex if one in trees and "ltx_ERROR" not in trees[one].latex]
    scores = pair_scores([key(trees[one].latex) for one in sound], [key(latex[one].latex) for one in sound])
    assert len(sound) == formulas
    assert scores.precision is not None
    assert scores.precision >= precision
    assert scores.recall == 1


def test_our_clusters_are_nearly_those_of_the_lab(index):
    """Over the first 8,000 formulas; `python -m benchmarks.visual_ids` takes all of them."""
    rows = list(index.values())[:8000]
    keys = {latex: key(latex) for latex in {row.latex for row in rows}}
    scores = pair_scores([row.visual_id for row in rows], [keys[row.latex] for row in rows])
    assert scores.precision is not None
    assert scores.recall is not None
    assert scores.precision > 0.96
    assert scores.recall > 0.999
