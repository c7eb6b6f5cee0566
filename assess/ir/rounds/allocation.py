"""Who judges which topics, and in which order they see the entries; which judged documents make a training or
qualification round."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from heapq import nsmallest
from types import MappingProxyType
from typing import NamedTuple

from assess.ir.common.rows import Qrel, grouped


def presentation_order(entries: Iterable[str], seed: int, assessor: str, topic: str) -> list[str]:
    """The entries of a pool in the order in which an assessor sees them: random, so that it does not reveal ranks, and
    different for each assessor (ARQMath-2). The same on every machine, in whatever order the entries come."""
    return sorted(entries, key=lambda entry: drawn(entry, seed, assessor, topic))


def drawn(entry: str, seed: int, assessor: str, topic: str) -> tuple[bytes, str]:
    """What decides the place of an entry in that order."""
    return sha256(f"{seed}\t{assessor}\t{topic}\t{entry}".encode()).digest(), entry


Couples = Collection[tuple[str, str]]
"""Topics, each with an assessor."""


def spread_topics(
    sizes: Mapping[str, int],
    loads: Mapping[str, int],
    barred: Couples = (),
    needed: Mapping[str, int] = MappingProxyType({}),
) -> list[tuple[str, str]]:
    """Each topic with an assessor, or as many different ones as are ``needed`` (fewer if there are no more), so that
    all have about as many documents to judge. ``sizes``: the documents of each topic; ``loads``: those that each
    assessor has already. The largest topic comes first and goes to the assessor with the fewest documents, the first in
    ``loads`` among equals; so nobody has more than another by more than the largest topic. Nobody gets a topic that
    they are ``barred`` from. The result is in the order of ``sizes``. Raises ``ValueError`` for a topic from which all
    are barred."""
    counts: dict[str, int] = dict(loads)
    assessors_of: dict[str, list[str]] = {}
    for topic in sorted(sizes, key=lambda topic: -sizes[topic]):
        free = [name for name in counts if (topic, name) not in barred]
        if not free:
            raise ValueError(f"none of these assessors should judge topic {topic}")
        assessors_of[topic] = nsmallest(needed.get(topic, 1), free, key=lambda name: counts[name])
        for name in assessors_of[topic]:
            counts[name] += sizes[topic]
    return [(topic, name) for topic in sizes for name in assessors_of[topic]]


class JudgedTopic(NamedTuple):
    """A topic that its official assessor has judged completely, with the number of its relevant units."""

    topic: str
    assessor: str
    relevant: int


def dual_topics(
    judged: Iterable[JudgedTopic],
    people: Iterable[str],
    others: int,
    seed: int,
    *,
    fewest_relevant: bool = False,
    barred: Couples = (),
) -> list[tuple[str, str]]:
    """Which topics these people judge a second time, each with the person: from each of ``others`` other assessors, one
    topic that nobody else gets. By chance, or the one with the fewest relevant units, to confirm that there are no more
    (ARQMath-2, Task 1). The other assessors are the next ones in the order of names, so that everybody's topics are
    judged about equally often. Who has nobody left to take a topic from gets fewer. ARQMath-1: two others, by chance;
    ARQMath-2: one other with the fewest relevant (Task 1), both others (Task 2); ARQMath-3: one other, by chance."""
    rows = {row.topic: row for row in judged}
    waiting = grouped((rows[topic].assessor, topic) for topic in presentation_order(rows, seed, "", "dual"))
    if fewest_relevant:
        for topics in waiting.values():
            topics.sort(key=lambda topic: rows[topic].relevant)
    pairs = []
    for turn in range(others):
        for person in sorted(people):
            following = sorted(waiting.keys() - {person}, key=lambda author: (author <= person, author))
            topics = waiting[following[turn]] if turn < len(following) else []
            for topic in [topic for topic in topics if (topic, person) not in barred][:1]:
                topics.remove(topic)
                pairs.append((topic, person))
    return pairs


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
    by_topic = grouped((qrel.topic_id, qrel) for qrel in judged)
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
    shuffled = presentation_order(units, seed, "", "training items")
    by_grade = grouped((units[unit].grade, units[unit]) for unit in shuffled)
    turns = [(turn, -grade, qrel) for grade, qrels in by_grade.items() for turn, qrel in enumerate(qrels)]
    ordered = [qrel for _, _, qrel in sorted(turns, key=lambda each: each[:2])]
    return ordered[: count or None]
