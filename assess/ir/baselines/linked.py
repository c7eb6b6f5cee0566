"""Linked posts: the answers to questions that moderators marked as duplicates of the topic's question."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assess.ir.baselines.search import ScoredDocument
from assess.ir.formats.posts import LinkRow
from assess.ir.runs.ranking import LIMIT


class VotedAnswer(NamedTuple):
    """``score``: votes up minus votes down, None if unknown."""

    post_id: str
    thread_id: str
    score: int | None


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
    """The answers in the topics' threads by their votes, highest first, ties by id as text, descending. An answer
    without a score counts 0. The votes are the score of the row, so it may be negative."""
    topics: defaultdict[str, list[str]] = defaultdict(list)
    for topic_id, posts in threads.items():
        for post_id in posts:
            topics[post_id].append(topic_id)
    votes: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for answer in answers:
        for topic_id in topics.get(answer.thread_id, ()):
            votes[topic_id][answer.post_id] = float(answer.score or 0)
    rows = []
    for topic_id, scores in sorted(votes.items()):
        ranked = sorted(sorted(scores, reverse=True), key=lambda doc_id: -scores[doc_id])[:limit]
        rows += [ScoredDocument(topic_id, doc_id, scores[doc_id]) for doc_id in ranked]
    return rows
