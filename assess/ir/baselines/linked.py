"""Linked posts: the answers to questions that moderators marked as duplicates of the topic's question."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import BinaryIO, NamedTuple

from assess.ir.baselines.search import ScoredDocument, first_of_each_topic
from assess.ir.common.problems import Problems
from assess.ir.formats.columns import names_of
from assess.ir.formats.posts import LinkRow
from assess.ir.formats.table import read_table, wrong_count
from assess.ir.runs.ranking import LIMIT

COLUMNS = ("topic", "post")


class VotedAnswer(NamedTuple):
    """``score``: votes up minus votes down, None if unknown."""

    post_id: str
    thread_id: str
    score: int | None


def read_questions(source: BinaryIO, name: str) -> dict[str, set[str]]:
    """Two columns, topic and post: the topic's own question on the site or a known duplicate of it. A topic may have
    several lines. A header such as "topic post" is skipped. Raises ``BadInput``."""
    problems = Problems(name)
    questions: defaultdict[str, set[str]] = defaultdict(set)
    for at, row in read_table(source, name, names_of(*COLUMNS)).rows():
        if wrong := wrong_count(row, COLUMNS):
            problems.add(at, wrong)
        elif not row[0] or not row[1].isdigit():
            problems.add(at, f"expected a topic id and the number of a post, found {row[0]!r} and {row[1]!r}")
        else:
            questions[row[0]].add(row[1])
    problems.check()
    return dict(questions)


def threads_of_topics(questions: Mapping[str, Iterable[str]], links: Iterable[LinkRow]) -> dict[str, set[str]]:
    """For each topic its threads: the posts listed for it, and what is linked with one of them as a duplicate,
    whichever of the two was closed. The labs say nothing about links of links, so these are left out."""
    linked: defaultdict[str, set[str]] = defaultdict(set)
    for link in links:
        if link.kind == "duplicate":
            linked[link.post_id].add(link.related_id)
            linked[link.related_id].add(link.post_id)
    return {topic: set(posts).union(*(linked.get(post, ()) for post in posts)) for topic, posts in questions.items()}


def rank_by_votes(
    threads: Mapping[str, Iterable[str]], answers: Iterable[VotedAnswer], limit: int = LIMIT
) -> list[ScoredDocument]:
    """The answers in the topics' threads by their votes, highest first; an answer without a score counts 0. The votes
    are the score of the row, so it may be negative."""
    topics: defaultdict[str, list[str]] = defaultdict(list)
    for topic_id, posts in threads.items():
        for post_id in posts:
            topics[post_id].append(topic_id)
    rows = [
        ScoredDocument(topic_id, answer.post_id, float(answer.score or 0))
        for answer in answers
        for topic_id in topics.get(answer.thread_id, ())
    ]
    return first_of_each_topic(rows, limit)
