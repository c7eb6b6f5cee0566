"""The result of a training or qualification round: everyone's judgments beside the gold grades."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from django.db.models import Count

from assess.ir.agreement.agreement import AssessorAgreement, Comparisons, assessors
from assess.ir.agreement.kappa import Kappa
from assess.ir.common.rows import JudgmentRow
from assess.models import GoldGrade, Instance, Judgment, JudgmentEvent, Round, Topic
from assess.services.pool.content import Card, cards_of

GOLD = ""
"""Stands for the gold grades where the science expects an assessor; no user has this name."""


class Discussed(NamedTuple):
    """A document with everybody's judgment by user name, None if there is none yet, and its gold grade; ``before``: of
    those who decided since the discussion was opened, the decision before, empty if there was none."""

    card: Card
    judgments: dict[str, Judgment | None]
    gold: GoldGrade | None
    before: dict[str, str]

    @property
    def spread(self) -> int:
        """How far the grades are apart, the gold grade included."""
        grades = [judgment.grade for judgment in self.judgments.values() if judgment and judgment.grade is not None]
        grades += [self.gold.grade] if self.gold else []
        return max(grades) - min(grades) if grades else 0

    @property
    def decided(self) -> list[Judgment]:
        """The judgments that there are."""
        return [judgment for judgment in self.judgments.values() if judgment]

    @property
    def is_agreed(self) -> bool:
        """Whether two or more have judged it, all alike and as the gold grade says."""
        decisions = {judgment.decision for judgment in self.decided}
        gold = {str(self.gold.grade)} if self.gold else set()
        return len(self.decided) > 1 and len(decisions | gold) == 1


class Kappas(NamedTuple):
    """Of a participant in one round: kappa with the gold grades on ``n`` documents, over the four grades and over H+M,
    and the mean of the kappas with the other participants, None without any."""

    n: int
    kappa: Kappa
    kappa_hm: Kappa
    others: AssessorAgreement | None


class Participant(NamedTuple):
    """A user in a round: documents judged, of how many; the kappas of this round and, if there was one, of the round of
    the same kind before."""

    name: str
    judged: int
    total: int
    now: Kappas | None
    before: Kappas | None


def participants(round: Round) -> list[Participant]:
    """Everybody in the round, by name."""
    assigned = round.assignments.filter(closed=None).annotate(judged=Count("judgments"))
    judged: dict[str, int] = defaultdict(int)
    total: dict[str, int] = defaultdict(int)
    for assignment in assigned.select_related("assessor"):
        judged[assignment.assessor.username] += assignment.judged
        total[assignment.assessor.username] += len(assignment.instance_order)
    now, earlier = kappas(round), previous(round)
    before = kappas(earlier) if earlier else {}
    return [Participant(name, judged[name], total[name], now.get(name), before.get(name)) for name in sorted(total)]


def previous(round: Round) -> Round | None:
    """The round of the same kind before this one."""
    rounds = Round.objects.filter(pool__campaign=round.pool.campaign_id, kind=round.kind, pk__lt=round.pk)
    return rounds.order_by("pk").last()


def kappas(round: Round) -> dict[str, Kappas]:
    """The kappas of everybody who has judged something, by name."""
    level = round.pool.rules.level
    rows = judgment_rows(round)
    pairs = Comparisons([*rows, *gold_rows(round)], level).pairs()
    gold = {pair.second: pair for pair in pairs if pair.first == GOLD}
    others = {row.assessor: row for row in assessors(pair for pair in pairs if pair.first != GOLD)}
    return {
        name: Kappas(gold[name].n, gold[name].kappa, gold[name].kappa_hm, others.get(name))
        for name in sorted({row.assessor for row in rows} & gold.keys())
    }


def judgment_rows(round: Round) -> list[JudgmentRow]:
    """The judgments of the round. Those made since its discussion was opened, by people who could see the gold grades,
    are replaced by what they were before."""
    judgments = Judgment.objects.filter(assignment__round=round, assignment__closed=None).order_by("pk")
    places = judgments.values_list("assignment", "instance", "assignment__assessor__username", *FIELDS, "outcome")
    rows = {row[:2]: JudgmentRow(*row[2:]) for row in places}
    return [row for row in (rows | before_discussion(round)).values() if row.decision]


def before_discussion(round: Round) -> dict[tuple[int, int], JudgmentRow]:
    """What was decided since the discussion was first opened, as it was before, by assignment and instance; with
    neither grade nor outcome if nothing had been decided. Those who joined after it was closed have not seen it."""
    if not round.discussed:
        return {}
    events = JudgmentEvent.objects.filter(assignment__round=round, assignment__closed=None, late=False)
    if round.discussion_closed:
        events = events.filter(assignment__created__lt=round.discussion_closed)
    newest_first = events.filter(at__gte=round.discussed).order_by("-pk")  # so the oldest, put down last, stays
    place = ("assignment", "instance", "assignment__assessor__username", *FIELDS[:-1])
    rows = newest_first.values_list(*place, "old_decision")
    return {row[:2]: JudgmentRow._make((*row[2:-1], *grade_or_outcome(row[-1]), "", "")) for row in rows}


def grade_or_outcome(decision: str) -> tuple[int | None, str]:
    return (int(decision), "") if decision.isdigit() else (None, decision)


def gold_rows(round: Round) -> list[JudgmentRow]:
    """The gold grades as judgments of `GOLD`."""
    gold = GoldGrade.objects.filter(instance__entry__pool=round.pool)
    return [JudgmentRow(GOLD, *row) for row in gold.order_by("pk").values_list(*FIELDS)]


FIELDS = ("instance__entry__topic__topic_id", "instance__entry__unit_id", "instance__doc_id", "grade")


def discussed(round: Round, topic: Topic) -> list[Discussed]:
    """The documents of a topic of the round, in a fixed number of queries: those on which the grades are furthest apart
    first."""
    instances = Instance.objects.filter(entry__pool=round.pool, entry__topic=topic).select_related("gold__by")
    names = round.assignments.filter(topic=topic, closed=None).order_by("assessor__username")
    nobody: dict[str, Judgment | None] = dict.fromkeys(names.values_list("assessor__username", flat=True))
    judgments_of: defaultdict[int, dict[str, Judgment | None]] = defaultdict(nobody.copy)
    judgments = Judgment.objects.filter(assignment__round=round, assignment__topic=topic, assignment__closed=None)
    for judgment in judgments.select_related("assignment__assessor"):
        judgments_of[judgment.instance_id][judgment.assignment.assessor.username] = judgment
    before: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for (_, instance), row in before_discussion(round).items():
        before[instance][row.assessor] = row.decision
    rows = [
        Discussed(card, judgments_of[card.instance.pk], getattr(card.instance, "gold", None), before[card.instance.pk])
        for card in cards_of(round.pool.campaign, topic, instances)
    ]
    return sorted(rows, key=lambda row: -row.spread)
