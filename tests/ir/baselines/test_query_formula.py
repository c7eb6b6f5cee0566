import io

from assess.ir.baselines.query_formula import choose, query_file
from assess.ir.common.rows import TopicRow
from assess.ir.formats.formula_index import iter_formulas
from tests.cast import math


def topic(topic_id="A.1", title="", body=""):
    return TopicRow(topic_id, title, body)


def chosen(*topics, seed=1):
    return {one.topic_id: (one.formula_id, one.kind) for one in choose(topics, seed, len)}  # length for nodes


def test_the_title_comes_before_a_larger_formula_of_the_body():
    assert chosen(topic(title=math("q_1", "x"), body=math("q_2", "x+y"))) == {"A.1": ("q_1", "title")}


def test_of_several_the_one_with_most_nodes_is_chosen():
    body = math("q_1", "x") + math("q_2", "x+y") + math("q_3", "x+")
    assert chosen(topic(body=body)) == {"A.1": ("q_2", "question")}


def test_equals_are_settled_by_the_seed_whatever_their_order():
    ids = [f"q_{number}" for number in range(8)]
    html, reverse = ("".join(math(one, "x") for one in order) for order in (ids, ids[::-1]))
    by_seed = [chosen(topic(body=html), seed=seed) for seed in range(20)]
    assert by_seed == [chosen(topic(body=reverse), seed=seed) for seed in range(20)]
    assert len({found["A.1"] for found in by_seed}) > 3


def test_nodes_are_those_of_the_tree_not_characters():
    body = math("q_1", r"\operatorname{abc}") + math("q_2", "x+1")
    assert [one.formula_id for one in choose([topic(body=body)], 1)] == ["q_2"]
    assert [one.nodes for one in choose([topic(body=math("q_1", r"\badcommand"))], 1)] == [0]


def test_a_topic_without_formulas_has_none():
    assert chosen(topic(body="<p>Why?</p>"), topic("A.2", body=math("q_1", " "))) == {}


def test_the_query_file_is_one_of_the_labs_formula_files():
    text = query_file(choose([topic(title=math("q_1", "a\n b"))], 1))
    assert text == "id\ttopic_id\tthread_id\ttype\tformula\nq_1\tA.1\t\ttitle\ta b\n"
    [row] = iter_formulas(io.BytesIO(text.encode()), "queries.tsv")
    assert (row.formula_id, row.post_id, row.kind, row.latex) == ("q_1", "A.1", "title", "a b")
