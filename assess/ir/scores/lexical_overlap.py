"""Lexical overlap (LO) of written answers with relevant answers (Mansouri et al., CLEF 2022, 6.4.2)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assess.ir.common.rows import ScoreRow, grouped
from assess.ir.formats.runs import LONGEST_ANSWER
from assess.ir.scores.definitions import LO

PLAIN = re.compile(r"\\[a-zA-Z]+|\\.|[^\W\d_]+|\d+|[^\s\w]|_")


def plain_tokens(text: str) -> list[str]:
    """Words in small letters, numbers, TeX commands, and every other character by itself. It needs no model, and its
    values are not those of the lab, which used the subwords of MathBERTa."""
    return [token if token.startswith("\\") else token.lower() for token in PLAIN.findall(text)]


class Answer(NamedTuple):
    """An answer of a run, or a relevant one; ``teams``: those whose runs brought it into the pool, if known."""

    topic_id: str
    text: str
    teams: frozenset[str] = frozenset()


def references(written: Iterable[Answer], posts: Iterable[Answer]) -> list[Answer]:
    """All relevant written answers, and relevant posts that are no longer (in Unicode characters) than those may be."""
    return [*written, *(post for post in posts if len(post.text) <= LONGEST_ANSWER)]


def f1(first: Mapping[str, int], second: Mapping[str, int]) -> float:
    """The harmonic mean of precision and recall of the tokens of two bags, or 0 (Rajpurkar et al. 2016)."""
    common = sum(min(count, second.get(token, 0)) for token, count in first.items())
    return 2 * common / (sum(first.values()) + sum(second.values())) if common else 0.0


class Overlaps:
    """The lexical overlap with these references; each is split into tokens once, for any number of runs."""

    def __init__(self, known: Iterable[Answer]) -> None:
        self.bags = grouped((each.topic_id, (Counter(plain_tokens(each.text)), each.teams)) for each in known)

    def score(self, run: str, answers: Iterable[Answer], team: str = "") -> list[ScoreRow]:
        """The highest F1 of each answer with a reference of its topic, for the topics that have one. References that
        only the ``team`` brought into the pool are left out, so that no system is measured by its own answers."""
        rows = []
        for topic_id, text, _ in answers:
            own = Counter(plain_tokens(text))
            values = [f1(own, bag) for bag, teams in self.bags.get(topic_id, ()) if not team or set(teams) != {team}]
            if values:
                rows.append(ScoreRow(run, topic_id, LO, max(values)))
        return rows
