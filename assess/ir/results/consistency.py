"""How assessors use the grades: from week to week, and beside others on the same topics."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import erfc, sqrt
from statistics import fmean, pvariance
from typing import NamedTuple

from assess.ir.common.rows import GRADES, RELEVANT, JudgmentRow

CHANCE = 0.01
"""Of a hundred assessors who did not change, one gets a warning."""
LEAST = 15
"""The fewest grades after and before: the test is approximate, and wrong for a few."""


class Week(NamedTuple):
    """The judgments of a week: how many have the grades 0, 1, 2 and 3, and how many an outcome."""

    week: str
    grades: list[int]
    outcomes: int


class Drift(NamedTuple):
    """The week from which an assessor grades otherwise than before on the same topics: the mean grade after and before
    on the topics that have both. ``p``: two-sided, of the Cochran-Mantel-Haenszel mean score test with the topics as
    strata, times the number of weeks that were tried (Bonferroni)."""

    week: str
    after: float
    before: float
    p: float


class Use(NamedTuple):
    """An assessor's grades 0 to 3 and outcomes, all together and by week; the share of relevant ones. ``shared``: that
    share on the ``n_shared`` judgments of topics which others judged too, and ``others`` that of the others there, each
    topic weighed by this assessor's judgments; None without such topics. ``drift``: None unless beyond chance."""

    assessor: str
    grades: list[int]
    outcomes: int
    relevant: float | None
    n_shared: int
    shared: float | None
    others: float | None
    weeks: list[Week]
    drift: Drift | None


class RelevantTally(NamedTuple):
    """Relevant grades among all grades."""

    relevant: int
    n: int

    @property
    def share(self) -> float | None:
        return self.relevant / self.n if self.n else None


def uses(judgments: Iterable[JudgmentRow], level: int = RELEVANT) -> list[Use]:
    """The use of grades of everybody, by name."""
    by_week: defaultdict[str, defaultdict[str, list[JudgmentRow]]] = defaultdict(lambda: defaultdict(list))
    by_topic: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in judgments:
        by_week[row.assessor][row.week].append(row)
        if row.grade is not None:
            by_topic[row.topic_id][row.assessor].append(row.grade)
    topics = {topic: {name: tally(grades, level) for name, grades in by.items()} for topic, by in by_topic.items()}
    return [use(name, by_week[name], topics, level) for name in sorted(by_week)]


def use(
    name: str,
    judged: Mapping[str, Sequence[JudgmentRow]],
    topics: Mapping[str, Mapping[str, RelevantTally]],
    level: int,
) -> Use:
    weeks = [week_of(week, judged[week]) for week in sorted(judged)]
    grades = [sum(column) for column in zip(*(week.grades for week in weeks), strict=True)]
    shared = [(of[name], rest(of, name)) for of in topics.values() if name in of and len(of) > 1]
    n = sum(own.n for own, _ in shared)
    own = RelevantTally(sum(own.relevant for own, _ in shared), n)
    return Use(
        assessor=name,
        grades=grades,
        outcomes=sum(week.outcomes for week in weeks),
        relevant=of_grades(grades, level).share,
        n_shared=n,
        shared=own.share,
        others=sum(own.n * (others.share or 0) for own, others in shared) / n if n else None,
        weeks=weeks,
        drift=drift([row for rows in judged.values() for row in rows]),
    )


def week_of(week: str, rows: Sequence[JudgmentRow]) -> Week:
    counts = Counter(row.grade for row in rows)
    return Week(week, [counts[grade] for grade in sorted(GRADES)], counts[None])


def tally(grades: Sequence[int], level: int) -> RelevantTally:
    return RelevantTally(sum(grade >= level for grade in grades), len(grades))


def of_grades(counts: Sequence[int], level: int) -> RelevantTally:
    """The tally of counts by grade."""
    return RelevantTally(sum(counts[level:]), sum(counts))


def rest(tallies: Mapping[str, RelevantTally], name: str) -> RelevantTally:
    """The tally of all but one."""
    others = [tally for other, tally in tallies.items() if other != name]
    return RelevantTally(sum(tally.relevant for tally in others), sum(tally.n for tally in others))


def drift(rows: Sequence[JudgmentRow]) -> Drift | None:
    """The likeliest change of an assessor, if it is beyond chance. Only grades of one topic are compared: topics differ
    more than assessors do."""
    weeks = sorted({row.week for row in rows})[1:]
    changes = [change for week in weeks if (change := change_in(rows, week))]
    if not changes:
        return None
    likeliest = min(changes, key=lambda change: change.p)
    p = min(1.0, likeliest.p * len(changes))
    return likeliest._replace(p=p) if p < CHANCE else None


def change_in(rows: Iterable[JudgmentRow], week: str) -> Drift | None:
    """The grades from a week on and those before; None if there are too few, or if all of a topic are equal."""
    by_topic: defaultdict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for row in rows:
        if row.grade is not None:
            by_topic[row.topic_id][row.week < week].append(row.grade)
    both = [(after, before) for after, before in by_topic.values() if after and before]
    after, before = (
        ([grade for part in side for grade in part] for side in zip(*both, strict=True)) if both else ([], [])
    )
    variance = sum(map(variance_of, both))
    if min(len(after), len(before)) < LEAST or not variance:
        return None
    excess = sum(sum(new) - len(new) * fmean(new + old) for new, old in both)
    return Drift(week, fmean(after), fmean(before), erfc(abs(excess) / sqrt(2 * variance)))


def variance_of(both: tuple[list[int], list[int]]) -> float:
    """Of the sum of the grades after, if it is chance which of a topic's grades these are."""
    after, before = both
    n = len(after) + len(before)
    return len(after) * len(before) / (n - 1) * pvariance(after + before)
