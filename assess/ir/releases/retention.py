"""Which topics of a campaign make its test set."""

from collections.abc import Iterable, Mapping

TEST, ADDITIONAL, REMOVED = "test", "additional", "removed"
KINDS = {TEST: "Test", ADDITIONAL: "Additional", REMOVED: "Removed"}
"""Additional topics are judged for training systems, besides the test set or after it (ARQMath-2)."""

RULE = "At least two relevant units"
"""The labs' rule since ARQMath-2, for answers (71 of 81 topics stay) and formulas (58 of 60); ARQMath-3 removes A.335
and A.367, with one relevant answer each, and no formula topic. Without a relevant unit a topic cannot distinguish
systems; one makes MAP' coarse. A unit is relevant if it is high or medium. ARQMath-1 states no rule: all its topics
stay, also B.32 with one relevant visual id (of V3)."""


def kind_of(relevant: int, min_relevant: int, chosen: str = "") -> str:
    """The kind of a judged topic with so many relevant units: by the rule, unless the organizers have chosen one."""
    return chosen or (TEST if relevant >= min_relevant else REMOVED)


def kinds(
    judged: Iterable[str], relevant: Mapping[str, int], min_relevant: int, chosen: Mapping[str, str]
) -> dict[str, str]:
    """The kind of each judged topic, sorted by topic. ``relevant`` counts the relevant units of each topic."""
    return {
        topic: kind_of(relevant.get(topic, 0), min_relevant, chosen.get(topic, "")) for topic in sorted(set(judged))
    }


def removed(
    judged: Iterable[str], relevant: Mapping[str, int], min_relevant: int, chosen: Mapping[str, str]
) -> list[str]:
    """The judged topics that the rule or the organizers remove, sorted."""
    of_topics = kinds(judged, relevant, min_relevant, chosen)
    return [topic for topic, kind in of_topics.items() if kind == REMOVED]
