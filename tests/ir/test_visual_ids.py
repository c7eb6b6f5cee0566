import polars as pl
import pytest

from assess.ir.visual_ids import key, latex_key, number, pair_scores
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


def test_formula_ids_are_ordered_as_numbers_before_others():
    assert sorted(["q_1", "10", "9"], key=number) == ["9", "10", "q_1"]


def test_pairs_are_counted_over_instances():
    truth = ["a", "a", "a", "b"]  # three pairs
    found = ["x", "x", "y", "y"]  # two, one of them right
    scores = pair_scores(truth, found)
    assert (scores.precision, scores.recall, scores.pairs) == (1 / 2, 1 / 3, 3)
    assert pair_scores(["a"], ["x"]) == (None, None, 0)


@pytest.fixture(scope="module")
def real_formulas():
    file = data_file("formula-index/formulas.v3.tsv")
    frame = pl.read_csv(file, separator="\t", infer_schema=False)
    return {row[0]: row[1:] for row in frame.select("id", "formula", "visual_id").iter_rows()}
