"""The documents of a training round: spread over the grades, the same on every machine."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.rows import Qrel
from assess.ir.formats.qrels import read_qrels
from assess.ir.rounds.training import SPREAD, WHOLE_TOPICS, Template, choose_gold
from tests.real import data_file

judged = st.lists(
    st.builds(Qrel, st.sampled_from(["A.1", "A.2", "A.3"]), st.integers(1, 40).map(str), st.integers(0, 3)),
    unique_by=lambda qrel: (qrel.topic_id, qrel.unit_id),
    min_size=1,
)


@given(judged, st.integers(1, 4), st.integers(0, 8), st.integers(0, 99), st.randoms())
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


@given(judged, st.integers(1, 8), st.integers(0, 99))
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
    assert {qrel.topic_id for qrel in choose_gold(poor + rich, Template(1, 3), seed=5)} == {"A.2"}
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
