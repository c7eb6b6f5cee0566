import io

import pytest

from assess.ir.baselines.linked import VotedAnswer, rank_by_votes, read_questions, threads_of_topics
from assess.ir.common.problems import BadInput
from assess.ir.formats.posts import LinkRow

LINKS = [
    LinkRow("900", "10", "duplicate"),  # the topic's question was closed for 10
    LinkRow("20", "900", "duplicate"),  # 20 was closed for the topic's question
    LinkRow("900", "30", "related"),  # not a duplicate
    LinkRow("10", "40", "duplicate"),  # a link of a link
]
ANSWERS = [
    VotedAnswer("11", "10", 3),
    VotedAnswer("12", "10", -1),
    VotedAnswer("13", "10", None),  # votes unknown
    VotedAnswer("21", "20", 3),
    VotedAnswer("31", "30", 9),  # only related
    VotedAnswer("41", "40", 9),  # a duplicate of a duplicate
]


def test_answers_to_duplicates_in_either_direction_are_ranked_by_votes() -> None:
    rows = rank_by_votes(threads_of_topics({"A.1": ["900"]}, LINKS), ANSWERS)
    assert [(row.doc_id, row.score) for row in rows] == [("21", 3), ("11", 3), ("13", 0), ("12", -1)]


def test_the_question_listed_for_a_topic_may_be_the_duplicate() -> None:
    rows = rank_by_votes(threads_of_topics({"A.1": ["30"]}, []), ANSWERS)
    assert [row.doc_id for row in rows] == ["31"]


def test_a_thread_may_serve_two_topics() -> None:
    rows = rank_by_votes({"A.1": ["20"], "A.2": ["20", "30"]}, ANSWERS)
    assert [(row.topic_id, row.doc_id) for row in rows] == [("A.1", "21"), ("A.2", "31"), ("A.2", "21")]


def read(text: str) -> dict[str, set[str]]:
    return read_questions(io.BytesIO(text.encode()), "questions.tsv")


def test_questions_are_read_with_or_without_a_header() -> None:
    assert read("A.1\t900\nA.1\t10\nA.2\t7\n") == {"A.1": {"900", "10"}, "A.2": {"7"}}
    assert read("topic_id\tpost_id\nA.1\t900\n") == {"A.1": {"900"}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A.1\t900\t5\n", r"questions.tsv:1: expected 2 fields \(topic, post\), found 3"),
        ("A.1\t900\nA.2\thttp\n", "questions.tsv:2: expected a topic id and the number of a post"),
        ("", "the file is empty"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read(text)
