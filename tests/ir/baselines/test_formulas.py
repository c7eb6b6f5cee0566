"""Math tuples, against the tables of the MathDowsers paper of 2022 (section 3); rankings by them; query formulas."""

import io
from collections import Counter

import pytest

from assess.ir.baselines import formulas
from assess.ir.baselines.formulas import (
    choose_formulas,
    first_instances,
    query_file,
    rank_answers,
    rank_formulas,
    tuples_of_latex,
    tuples_of_tree,
)
from assess.ir.baselines.search import ScoredDocument
from assess.ir.common.rows import TopicRow
from assess.ir.formulas.slt import from_latex
from tests.cast import math
from tests.ir.formats.readers import iter_formulas

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


FIGURE_4 = "x^2 = 3^x + 2x"

TABLE_1 = [
    *("(V!x,N!2,a)", "(V!x,=,n)", "(=,N!3,n)", "(N!3,V!x,a)", "(N!3,+,n)", "(+,N!2,n)", "(N!2,V!x,n)"),  # pairs
    *("(N!2,φ)", "(V!x,φ)", "(V!x,φ)"),  # terminal symbols
    *("(V!x,na)", "(N!3,na)"),  # compound symbols
]
DUPLICATES = ["(V!x..nnn,a)", "(V!x..na,-)", "(N!2..nnn,a)"]  # without that of the first and the last x
TABLE_2 = [
    *("(V!x,N!2,a,@-)", "(V!x,=,n,@-)", "(=,N!3,n,@-)", "(N!3,V!x,a,@n)", "(N!3,+,n,@n)", "(+,N!2,n,@nn)"),
    *("(N!2,φ,@a)", "(V!x,φ,@na)", "(V!x,na,@-)", "(N!3,na,@n)"),
    *("(V!x..nnn,a,@n)", "(V!x..na,-,@-)", "(N!2..nnn,a,@-)"),
]
FURTHER_DOWN = ["(N!2,V!x,n,@nnn)", "(V!x,φ,@nnnn)"]


def without_kinds(located: bool) -> Counter[str]:
    """The tuples of figure 4 with the symbols themselves."""
    found = tuples_of_tree(from_latex(FIGURE_4))
    return Counter(term for term in found if ("@" in term) == located and not term.startswith("(?"))


def test_the_tuples_of_figure_4_are_those_of_tables_1_and_2(monkeypatch: pytest.MonkeyPatch) -> None:
    assert without_kinds(located=False) == Counter(TABLE_1 + DUPLICATES)
    assert without_kinds(located=True) == Counter(TABLE_2 + FURTHER_DOWN)
    monkeypatch.setattr(formulas, "LONGEST_LOCATION", 4)
    assert without_kinds(located=True) == Counter(TABLE_2)


def test_duplicates_are_repeated_with_the_kind_of_their_symbol_whatever_the_white_space() -> None:
    wild = {term for term in tuples_of_latex(FIGURE_4) if term.startswith("(?") and "@" not in term}
    assert wild == {"(?V..na,-)", "(?V..nnn,a)", "(?N..nnn,a)"}
    assert wild <= set(tuples_of_latex(FIGURE_4.replace("x", "y")))
    assert Counter(tuples_of_latex(r"x \quad = y")) == Counter(tuples_of_latex("x=y"))


def test_duplicates_grow_with_the_formula_not_with_its_square() -> None:
    rows = [r"X & 0 & 1 & 2", *(rf"{row} & p_{{{row},0}} & p_{{{row},1}} & p_{{{row},2}}" for row in range(3))]
    matrix = r"\begin{array}{cccc}" + r"\\".join(rows) + r"\end{array}"
    symbols = Counter(matrix[matrix.index("X") :])
    assert (symbols["0"], symbols["1"], symbols["2"], symbols["p"]) == (8, 8, 8, 9)
    names = ("N!0", "N!1", "N!2", "p")
    duplicates = [
        term for term in tuples_of_latex(matrix) if "@" not in term and any(f"{name}.." in term for name in names)
    ]
    assert len(duplicates) == 7 + 7 + 7 + 8  # the 29 of the paper
    assert not any("V!" in term for latex in ("", r"\notacommand{x}") for term in tuples_of_latex(latex))


def topic(topic_id: str = "A.1", title: str = "", body: str = "") -> TopicRow:
    return TopicRow(topic_id, title, body)


def chosen(*topics: TopicRow, seed: int = 1) -> dict[str, tuple[str, str]]:
    return {query.topic_id: (query.formula_id, query.kind) for query in choose_formulas(topics, seed)}


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        (math("q_1", "x"), math("q_2", "x+y"), {"A.1": ("q_1", "title")}),
        ("", math("q_1", "x") + math("q_2", "x+y") + math("q_3", "x+"), {"A.1": ("q_2", "question")}),  # most nodes
        ("", math("q_1", r"\operatorname{abc}") + math("q_2", "x+1"), {"A.1": ("q_2", "question")}),  # not characters
        ("", math("q_1", r"\badcommand"), {"A.1": ("q_1", "question")}),
        ("", "<p>Why?</p>", {}),
        ("", math("q_1", " "), {}),
    ],
)
def test_a_formula_of_the_title_is_preferred_then_the_largest(
    title: str, body: str, expected: dict[str, tuple[str, str]]
) -> None:
    assert chosen(topic(title=title, body=body)) == expected


def test_ties_are_broken_by_the_seed_not_by_the_order() -> None:
    ids = [f"q_{number}" for number in range(8)]
    html, reverse = ("".join(math(formula_id, "x") for formula_id in order) for order in (ids, ids[::-1]))
    by_seed = [chosen(topic(body=html), seed=seed) for seed in range(20)]
    assert by_seed == [chosen(topic(body=reverse), seed=seed) for seed in range(20)]
    assert len({choice["A.1"] for choice in by_seed}) > 3


def test_the_query_file_has_the_format_of_the_labs_formula_files() -> None:
    text = query_file(choose_formulas([topic(title=math("q_1", "a\n b"))], 1))
    assert text == "id\ttopic_id\tthread_id\ttype\tformula\nq_1\tA.1\t\ttitle\ta b\n"
    [row] = iter_formulas(io.BytesIO(text.replace("topic_id", "post_id").encode()), "queries.tsv")
    assert (row.formula_id, row.post_id, row.kind, row.latex) == ("q_1", "A.1", "title", "a b")
