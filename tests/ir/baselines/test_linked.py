from assess.ir.baselines.search import VotedAnswer, rank_by_votes, threads_of_topics
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
    rows = rank_by_votes(threads_of_topics({"A.1": ["20"], "A.2": ["20", "30"]}, []), ANSWERS)
    assert [(row.topic_id, row.doc_id) for row in rows] == [("A.1", "21"), ("A.2", "31"), ("A.2", "21")]
