"""RBP and ERR: measures of how far a reader goes down a ranking.

ir-measures has no way to compute them here: RBP needs a package without wheels, and ERR a Perl script that takes only
numbers for topics. Values are the same to the digits that these print.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

PERSISTENCE = 0.8
"""RBP: the probability that the reader goes on to the next document."""
ERR_HIGHEST = 4
"""The highest grade that ERR takes, by which it turns grades into probabilities, as gdeval does for every scale."""


def rank_biased_precision(grades: Sequence[int], level: int) -> float:
    """The grades of a ranking, from the first. Moffat and Zobel 2008."""
    return (1 - PERSISTENCE) * sum(PERSISTENCE**place for place, grade in enumerate(grades) if grade >= level)


def expected_reciprocal_rank(grades: Sequence[int]) -> float:
    """1/rank of the document that satisfies the reader, each with probability (2^g - 1)/2^4. Chapelle et al. 2009."""
    value, goes_on = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        satisfies = (2**grade - 1) / 2**ERR_HIGHEST
        value += goes_on * satisfies / rank
        goes_on *= 1 - satisfies
    return value


class UserModels:
    """Measures rankings by RBP and ERR, as ir-measures' evaluators do. Raises ``ValueError`` for grades too high for
    ERR."""

    def __init__(self, measures: Iterable[Any], judged: Mapping[str, Mapping[str, int]]) -> None:
        self.measures, self.judged = list(measures), judged
        highest = max((grade for units in judged.values() for grade in units.values()), default=0)
        if highest > ERR_HIGHEST and any(measure.NAME == "ERR" for measure in self.measures):
            raise ValueError(f"ERR is for grades up to {ERR_HIGHEST}, found {highest}")

    def iter_calc(self, points: Mapping[str, Mapping[str, float]]) -> Iterator[Any]:
        from ir_measures import Metric

        for topic_id, scores in points.items():
            judged = self.judged.get(topic_id, {})
            ranking = [judged.get(unit, 0) for unit in sorted(scores, key=scores.__getitem__, reverse=True)]
            for measure in self.measures:
                if measure.NAME == "ERR":
                    value = expected_reciprocal_rank(ranking[: measure["cutoff"]])
                else:
                    value = rank_biased_precision(ranking, measure["rel"])
                yield Metric(query_id=topic_id, measure=measure, value=value)
