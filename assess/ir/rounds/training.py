"""Which judged documents make a training or qualification round."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assess.ir.common.rows import Qrel
from assess.ir.rounds.allocation import presentation_order


class Template(NamedTuple):
    """How much of the judged documents a round takes: so many topics, and of each so many documents, 0 for all."""

    topics: int
    items: int


WHOLE_TOPICS = Template(7, 0)
"""ARQMath-2: all judged answers of seven topics."""
SPREAD = Template(4, 6)
"""ARQMath-3: five or six documents of four topics, with different grades."""


def choose_gold(judged: Iterable[Qrel], template: Template, seed: int, topics: Sequence[str] = ()) -> list[Qrel]:
    """The documents of a round, grouped by topic. ``topics``: those to take, by default a random choice, in which
    topics with more different grades come first, then those with enough documents. Of each topic, the documents are
    spread over the grades: one of each in turn, from the highest. The same on every machine, in whatever order the
    documents come."""
    by_topic: defaultdict[str, list[Qrel]] = defaultdict(list)
    for qrel in judged:
        by_topic[qrel.topic_id].append(qrel)
    riches = {
        topic: (len({qrel.grade for qrel in of_topic}), min(len(of_topic), template.items))
        for topic, of_topic in by_topic.items()
    }
    shuffled = presentation_order(by_topic, seed, "", "training topics")
    richest = sorted(shuffled, key=riches.__getitem__, reverse=True)[: template.topics]
    chosen = topics or richest
    return [qrel for topic in chosen for qrel in spread_over_grades(by_topic[topic], template.items, seed)]


def spread_over_grades(judged: Iterable[Qrel], count: int, seed: int) -> list[Qrel]:
    """So many documents of a topic, 0 for all: one of each grade in turn, at random within a grade."""
    units = {qrel.unit_id: qrel for qrel in judged}
    by_grade: defaultdict[int, list[Qrel]] = defaultdict(list)
    for unit in presentation_order(units, seed, "", "training items"):
        by_grade[units[unit].grade].append(units[unit])
    turns = [(turn, -grade, qrel) for grade, qrels in by_grade.items() for turn, qrel in enumerate(qrels)]
    ordered = [qrel for _, _, qrel in sorted(turns, key=lambda each: each[:2])]
    return ordered[: count or None]
