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


def kinds_of_judged(
    judged: Iterable[str], relevant: Mapping[str, int], min_relevant: int, chosen: Mapping[str, str]
) -> dict[str, str]:
    """The kind of each judged topic, sorted by topic: by the rule, unless the organizers have chosen one. ``relevant``
    counts the relevant units of each topic."""
    of_rule = {topic: TEST if relevant.get(topic, 0) >= min_relevant else REMOVED for topic in sorted(set(judged))}
    return {topic: chosen.get(topic) or kind for topic, kind in of_rule.items()}


def removed(
    judged: Iterable[str], relevant: Mapping[str, int], min_relevant: int, chosen: Mapping[str, str]
) -> list[str]:
    """The judged topics that the rule or the organizers remove, sorted."""
    kinds = kinds_of_judged(judged, relevant, min_relevant, chosen)
    return [topic for topic, kind in kinds.items() if kind == REMOVED]
