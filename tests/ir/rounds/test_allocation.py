"""Who judges which topics, in which order, and which a second time; and the documents of a training round: spread over
the grades, the same on every machine."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.rows import Qrel
from assess.ir.formats.qrels import read_qrels
from assess.ir.rounds.allocation import (
    SPREAD,
    WHOLE_TOPICS,
    JudgedTopic,
    Template,
    choose_gold,
    dual_topics,
    presentation_order,
    spread_topics,
)
from tests.real import data_file

ENTRIES = [f"e{place}" for place in range(8)]
NAMES = ("ada", "emmy", "sofia", "kurt")
topics = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 30)), min_size=1, max_size=30).map(
    lambda rows: [JudgedTopic(f"A.{n}", *row) for n, row in enumerate(rows)]
)


def test_every_entry_is_shown_once_in_another_order_for_each_seed_assessor_and_topic() -> None:
    orders = [
        presentation_order(ENTRIES, 1, "ann", "A.1"),
        presentation_order(ENTRIES, 2, "ann", "A.1"),
        presentation_order(ENTRIES, 1, "bob", "A.1"),
        presentation_order(ENTRIES, 1, "ann", "A.2"),
    ]
    assert all(sorted(order) == ENTRIES for order in orders)
    assert presentation_order(reversed(ENTRIES), 1, "ann", "A.1") == orders[0]
    assert len(set(map(tuple, orders))) == 4
    assert presentation_order(["a", "b", "c", "d"], 7, "ann", "A.1") == ["b", "c", "a", "d"]
    firsts = [presentation_order("abcd", seed, "ann", "A.1")[0] for seed in range(400)]
    assert all(70 < firsts.count(entry) < 130 for entry in "abcd")


def test_large_topics_come_first_and_go_to_who_has_the_fewest_documents() -> None:
    sizes = {"A.1": 10, "A.2": 90, "A.3": 50, "A.4": 40}
    for has, shares in ((0, "ann ann bob bob"), (100, "ann bob bob ann")):
        assert [name for _, name in spread_topics(sizes, {"ann": has, "bob": 0})] == shares.split()
    assert spread_topics({"A.1": 1, "A.2": 2}, {"ann": 0, "bob": 0}, {("A.2", "ann")}) == [
        ("A.1", "ann"),
        ("A.2", "bob"),
    ]


@given(st.lists(st.integers(1, 500), max_size=30), st.integers(1, 6))
def test_nobody_has_more_than_another_by_more_than_the_largest_topic(sizes: list[int], people: int) -> None:
    named = {str(place): size for place, size in enumerate(sizes)}
    given = spread_topics(named, {str(n): 0 for n in range(people)})
    assert [topic for topic, _ in given] == list(named)
    loads = [sum(named[topic] for topic, assessor in given if assessor == str(n)) for n in range(people)]
    assert max(loads) - min(loads) <= max(sizes, default=0)


@given(topics, st.sets(st.sampled_from([*NAMES, "new"]), min_size=1), st.integers(1, 3), st.booleans())
def test_nobody_judges_their_own_topic_again_and_no_topic_is_given_twice(
    judged: list[JudgedTopic], people: set[str], others: int, fewest: bool
) -> None:
    given_topics = dual_topics(judged, people, others, 7, fewest_relevant=fewest)
    authors = {row.topic: row.assessor for row in judged}
    assert all(authors[topic] != person for topic, person in given_topics)
    assert max(Counter(topic for topic, _ in given_topics).values(), default=0) <= 1
    for person in people:
        sources = [authors[topic] for topic, name in given_topics if name == person]
        assert len(sources) == len(set(sources)) <= others
    assert given_topics == dual_topics(reversed(judged), people, others, 7, fewest_relevant=fewest)


def test_each_gets_the_topic_of_another_with_the_fewest_relevant() -> None:
    """ARQMath-2, Task 1."""
    judged = [JudgedTopic(f"A.{n}", name, 5 + n % 3) for n, name in enumerate(NAMES * 3)]
    judged += [JudgedTopic(f"A.{100 + n}", name, n) for n, name in enumerate(NAMES)]
    assert sorted(dual_topics(judged, NAMES, 1, 1, fewest_relevant=True)) == [
        ("A.100", "sofia"), ("A.101", "ada"), ("A.102", "kurt"), ("A.103", "emmy"),
    ]  # fmt: skip
    judged = [JudgedTopic("A.1", "ada", 1), JudgedTopic("A.2", "emmy", 1)]
    assert dual_topics(judged, ["emmy"], 1, 1) == [("A.1", "emmy")]


qrels_of_topics = st.lists(
    st.builds(Qrel, st.sampled_from(["A.1", "A.2", "A.3"]), st.integers(1, 40).map(str), st.integers(0, 3)),
    unique_by=lambda qrel: (qrel.topic_id, qrel.unit_id),
    min_size=1,
)


@given(qrels_of_topics, st.integers(1, 4), st.integers(0, 8), st.integers(0, 99), st.randoms())
def test_choice_is_part_of_what_is_judged_and_the_same_in_any_order(
    qrels: list[Qrel], topics: int, items: int, seed: int, random: object
) -> None:
    chosen = choose_gold(qrels, Template(topics, items), seed)
    assert set(chosen) <= set(qrels)
    assert len({qrel.topic_id for qrel in chosen}) == min(topics, len({qrel.topic_id for qrel in qrels}))
    assert all(count <= (items or 99) for count in Counter(qrel.topic_id for qrel in chosen).values())
    shuffled = list(qrels)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose_gold(shuffled, Template(topics, items), seed) == chosen


@given(qrels_of_topics, st.integers(1, 8), st.integers(0, 99))
def test_no_grade_has_two_documents_more_than_another_that_has_some_left(
    qrels: list[Qrel], items: int, seed: int
) -> None:
    of_topic = [qrel for qrel in qrels if qrel.topic_id == qrels[0].topic_id]
    chosen = choose_gold(of_topic, Template(1, items), seed)
    taken, available = (Counter(qrel.grade for qrel in lines) for lines in (chosen, of_topic))
    for grade, count in taken.items():
        assert all(taken[other] >= count - 1 for other in available if available[other] > taken[other]), (grade, taken)


def test_topics_with_more_grades_come_first_and_named_ones_in_their_order() -> None:
    poor = [Qrel("A.1", str(n), 0) for n in range(20)]
    rich = [Qrel("A.2", str(n), n) for n in range(4)]
    assert {qrel.topic_id for qrel in choose_gold(poor + rich, Template(1, 5), seed=5)} == {"A.2"}
    qrels = [Qrel(f"A.{topic}", str(n), n % 4) for topic in range(1, 6) for n in range(9)]
    chosen = choose_gold(qrels, Template(1, 2), 3, ["A.5", "A.2"])
    assert list(dict.fromkeys(qrel.topic_id for qrel in chosen)) == ["A.5", "A.2"]


@pytest.mark.parametrize(("template", "least"), [(SPREAD, 24), (WHOLE_TOPICS, 1000)])
def test_rounds_of_the_labs_from_official_qrels(template: Template, least: int) -> None:
    path = data_file("qrels/qrels.arqmath-2021-task1-official.txt")
    qrels = read_qrels(path.open("rb"), path.name).qrels
    chosen = choose_gold(qrels, template, seed=1)
    assert len({qrel.topic_id for qrel in chosen}) == template.topics
    assert len(chosen) >= least
    if template.items:
        assert Counter(qrel.grade for qrel in chosen)[3] >= template.topics  # each topic shows what is highly relevant
