"""The judgments of a pool counted, by assignment."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Max, Q, Sum
from django.utils import timezone

from assess.ir.common.rows import GRADES, OUTCOMES, SYSTEM_FAILURE
from assess.models import Assignment, Judgment, Pool

NEW = timedelta(days=7)
"""How long a system failure counts as new."""
DECISIONS = {str(grade): Q(grade=grade) for grade in GRADES} | {outcome: Q(outcome=outcome) for outcome in OUTCOMES}


class JudgmentTally(NamedTuple):
    """The judgments of an assignment: how many, when the last one was made, how many system failures are new, how many
    judgments were timed (imported ones were not), and their milliseconds of attention together. In detail also how
    many there are of each grade and outcome, and the milliseconds of each timed judgment."""

    judged: int
    last: datetime | None
    new_failures: int
    timed: int
    active_ms: int
    decisions: dict[str, int]
    milliseconds: list[int]


def tallies(pool: Pool, in_detail: bool) -> defaultdict[int, JudgmentTally]:
    """The judgments of a pool by assignment, in one query, or in two in detail."""
    # Chosen by their keys, not by joins: so SQLite reads them in this order, and groups them without sorting.
    assigned = Assignment.objects.filter(round__pool=pool).order_by().values("pk")
    judgments = Judgment.objects.filter(assignment__in=assigned).order_by()
    words = DECISIONS if in_detail else {}
    rows: Iterable[Any] = judgments.values_list("assignment").annotate(
        judged=Count("pk"),
        last=Max("changed"),
        new_failures=Count("pk", filter=DECISIONS[SYSTEM_FAILURE] & Q(changed__gt=timezone.now() - NEW)),
        timed=Count("pk", filter=Q(active_ms__gt=0)),
        active=Sum("active_ms"),
        **{word: Count("pk", filter=is_chosen) for word, is_chosen in words.items()},
    )
    counted: defaultdict[int, JudgmentTally] = defaultdict(lambda: JudgmentTally(0, None, 0, 0, 0, {}, []))
    for pk, judged, last, new_failures, timed, active_ms, *counts in rows:
        decisions = {word: count for word, count in zip(words, counts, strict=True) if count}
        counted[pk] = JudgmentTally(judged, last, new_failures, timed, active_ms, decisions, [])
    timed_ones = judgments.filter(active_ms__gt=0).values_list("assignment", "active_ms")
    for pk, milliseconds in timed_ones if in_detail else ():
        counted[pk].milliseconds.append(milliseconds)
    return counted
