"""The result of a training or qualification round: everyone's judgments beside the gold grades."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet

from assess.ir.agreement.agreement import AssessorAgreement, Comparisons, PairAgreement, mean_by_assessor
from assess.ir.campaign.scale import is_grade
from assess.ir.common.rows import JudgmentRow, grouped, nested
from assess.models import DiscussionNote, GoldGrade, Instance, Judgment, JudgmentEvent, Round, Topic
from assess.services.common.errors import Refused
from assess.services.pool.content import Card, cards_of

GOLD = ""
"""Stands for the gold grades where the science expects an assessor; no user has this name."""
PLACE = ("assignment", "instance")
COLUMNS = (
    "assignment__assessor__username",
    "instance__entry__topic__topic_id",
    "instance__entry__unit_id",
    "instance__doc_id",
    "grade",
)
"""Of a `JudgmentRow`."""


class Discussed(NamedTuple):
    """A document with everybody's opinion, by user name: the judgment, None if there is none yet, and the decision
    before the discussion (empty if there was none), None if it is the same; its gold grade; what people have written
    about it; and how far the grades are apart, the gold grade included."""

    card: Card
    opinions: list[tuple[str, Judgment | None, str | None]]
    gold: GoldGrade | None
    notes: list[DiscussionNote]
    spread: int


LONGEST_NOTE = 5000
"""In characters."""


class Participant(NamedTuple):
    """A user in a round: documents judged, of how many; agreement with gold grades, and the mean with the others."""

    name: str
    judged: int
    total: int
    gold: PairAgreement | None
    others: AssessorAgreement | None


def participants(round: Round) -> list[Participant]:
    assigned = round.assignments.filter(closed=None).annotate(judged=Count("judgments"))
    judged: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for assignment in assigned.select_related("assessor"):
        judged[assignment.assessor.username] += assignment.judged
        total[assignment.assessor.username] += len(assignment.instance_order)
    gold_rows = [JudgmentRow(GOLD, *row) for row in gold_grades(round).order_by("pk").values_list(*COLUMNS[1:])]
    pairs = Comparisons([*rows_before_discussion(round), *gold_rows], round.pool.rules.scale).pairs()
    gold = {pair.second: pair for pair in pairs if pair.first == GOLD}
    rest = [pair for pair in pairs if pair.first != GOLD]
    others = {row.assessor: row for row in mean_by_assessor(rest, relevant=round.pool.rules.relevant_label)}
    return [Participant(name, judged[name], total[name], gold.get(name), others.get(name)) for name in sorted(total)]


def gold_grades(round: Round) -> QuerySet[GoldGrade]:
    return GoldGrade.objects.filter(instance__entry__pool=round.pool)


def rows_before_discussion(round: Round) -> list[JudgmentRow]:
    """The judgments of the round; those made since its discussion opened, gold grades in sight, as they were before."""
    judgments = Judgment.objects.filter(assignment__round=round, assignment__closed=None).order_by("pk")
    rows = {row[:2]: JudgmentRow(*row[2:]) for row in judgments.values_list(*PLACE, *COLUMNS, "outcome")}
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
    rows = {}
    for row in newest_first.values_list(*PLACE, *COLUMNS[:-1], "old_decision"):
        grade, outcome = (int(row[-1]), "") if is_grade(row[-1]) else (None, row[-1])
        rows[row[:2]] = JudgmentRow(*[*row[2:6], grade, outcome])
    return rows


def discussed(round: Round, topic: Topic) -> list[Discussed]:
    """The documents of a topic of the round, in a fixed number of queries, those with grades furthest apart first."""
    instances = Instance.objects.filter(entry__pool=round.pool, entry__topic=topic).select_related("gold__by")
    assignments = round.assignments.filter(topic=topic, closed=None).order_by("assessor__username")
    names = list(assignments.values_list("assessor__username", flat=True))
    given = Judgment.objects.filter(assignment__round=round, assignment__topic=topic, assignment__closed=None)
    rows_of = given.select_related("assignment__assessor")
    judgments = nested((each.instance_id, each.assignment.assessor.username, each) for each in rows_of)
    before = {(instance, row.assessor): row.decision for (_, instance), row in before_discussion(round).items()}
    written = DiscussionNote.objects.filter(instance__in=instances).select_related("by")
    notes = grouped((note.instance_id, note) for note in written)
    rows = []
    for card in cards_of(round.pool.campaign, topic, instances):
        pk, gold, opinions = card.instance.pk, getattr(card.instance, "gold", None), []
        for name in names:
            own = judgments[pk].get(name)
            now = own.decision if own else ""
            earlier = before.get((pk, name), now)
            opinions.append((name, own, None if earlier == now else earlier))
        grades = [own.grade for own in judgments[pk].values() if own.grade is not None]
        grades += [gold.grade] if gold else []
        spread = max(grades) - min(grades) if grades else 0
        rows.append(Discussed(card, opinions, gold, notes[pk], spread))
    return sorted(rows, key=lambda row: -row.spread)


def write_note(instance: Instance, text: str, by: User) -> None:
    """Somebody's note about a document in place of the one before; without a text, none. Raises Refused."""
    text = text.replace("\0", "").strip()  # PostgreSQL cannot store it
    if len(text) > LONGEST_NOTE:
        raise Refused(f"Too long: {len(text):,} characters of at most {LONGEST_NOTE:,}.")
    if text:
        DiscussionNote.objects.update_or_create(instance=instance, by=by, defaults={"text": text})
    else:
        DiscussionNote.objects.filter(instance=instance, by=by).delete()
