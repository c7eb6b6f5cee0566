from assess.ir.baselines.formulas import AnswerQuery, first_instances, rank_answers, rank_formulas
from assess.ir.baselines.search import ScoredDocument
from tests.cast import math

DISTINCT = [("v1", "x^2+1"), ("v2", "x^2+2"), ("v3", r"\sum_n a_n"), ("v4", r"\badcommand")]
ANSWERS = [("11", f"<p>See {math('1', 'x^2+1')}.</p>"), ("12", "<p>Complete the square.</p>"), ("13", "<p>No.</p>")]


def test_the_same_formula_comes_first_then_those_that_share_parts() -> None:
    assert [row.doc_id for row in rank_formulas({"B.1": "x^2+1"}, DISTINCT)] == ["v1", "v2"]


def test_a_formula_with_other_variables_matches_by_its_repeated_symbols() -> None:
    assert [row.doc_id for row in rank_formulas({"B.1": "y+z+y"}, [("v1", "a+b+a"), ("v2", "c-d")])] == ["v1"]


def test_a_formula_is_listed_by_at_most_five_instances() -> None:
    where = {"v1": [(str(number), "7") for number in range(9)], "v2": [("20", "8")]}
    rows = list(first_instances([ScoredDocument("B.1", "v1", 2.0), ScoredDocument("B.1", "v2", 1.0)], where))
    assert [row[1:] for row in rows] == [
        ("0", 2.0, "7"), ("1", 2.0, "7"), ("2", 2.0, "7"), ("3", 2.0, "7"), ("4", 2.0, "7"), ("20", 1.0, "8"),
    ]  # fmt: skip


def test_instances_end_at_the_limit_of_each_topic() -> None:
    where = {
        "v1": [("1", "7"), ("2", "7")],
        "v2": [("3", "8"), ("4", "8")],
    }
    ranking = [ScoredDocument(topic, unit, 1.0) for topic in ("B.1", "B.2") for unit in ("v1", "v2")]
    assert [row.doc_id for row in first_instances(ranking, where, limit=3)] == ["1", "2", "3"] * 2


def order(alpha: float) -> list[str]:
    question = AnswerQuery(["complete", "square"], ["x^2+1"])
    return [row.doc_id for row in rank_answers({"A.1": question}, ANSWERS, alpha)]


def test_alpha_weighs_formulas_against_words() -> None:
    assert order(1) == ["11"]
    assert order(0) == ["12"]
    assert order(0.9) == ["11", "12"]
    assert order(0.01) == ["12", "11"]
