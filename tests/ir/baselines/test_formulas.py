from assess.ir.baselines.formulas import first_instances, rank_answers, rank_formulas
from assess.ir.baselines.search import ScoredDocument
from tests.cast import math

DISTINCT = [("v1", "x^2+1"), ("v2", "x^2+2"), ("v3", r"\sum_n a_n"), ("v4", r"\badcommand")]
ANSWERS = [("11", f"<p>See {math('1', 'x^2+1')}.</p>"), ("12", "<p>Complete the square.</p>"), ("13", "<p>No.</p>")]


def test_formulas_that_share_parts_are_retrieved_and_alpha_weighs_them_against_words() -> None:
    assert [row.doc_id for row in rank_formulas({"B.1": "x^2+1"}, DISTINCT)] == ["v1", "v2"]
    assert [row.doc_id for row in rank_formulas({"B.1": "y+z+y"}, [("v1", "a+b+a"), ("v2", "c-d")])] == ["v1"]
    assert order(1) == ["11"]
    assert order(0) == ["12"]
    assert order(0.9) == ["11", "12"]
    assert order(0.01) == ["12", "11"]


def test_a_formula_is_listed_by_at_most_five_instances_to_the_limit_of_the_topic() -> None:
    where = {"v1": [(str(number), "7") for number in range(9)], "v2": [("20", "8"), ("21", "8")]}
    ranking = [ScoredDocument(topic, unit, score) for topic in ("B.1", "B.2") for unit, score in (("v1", 2), ("v2", 1))]
    rows = list(first_instances(ranking, where, limit=6))
    assert [row.doc_id for row in rows] == ["0", "1", "2", "3", "4", "20"] * 2
    assert rows[-1] == ScoredDocument("B.2", "20", 1, "8")


def order(alpha: float) -> list[str]:
    question = f"<p>Complete square {math('q', 'x^2+1')}</p>"
    return [row.doc_id for row in rank_answers({"A.1": question}, ANSWERS, alpha)]
