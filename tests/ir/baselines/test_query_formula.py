import io

import pytest

from assess.ir.baselines.formulas import choose_formulas, query_file
from assess.ir.common.rows import TopicRow
from tests.cast import math
from tests.ir.formats.readers import iter_formulas


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
