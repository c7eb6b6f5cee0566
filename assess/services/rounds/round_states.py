"""How far each round of a campaign is."""

from typing import NamedTuple

from django.db.models import Count, F, Q, Sum, TextChoices

from assess.models import Assignment, Campaign, Instance, Judgment, Round
from assess.services.rounds.assignments import open_topics
from assess.services.rounds.progress import ArrayLength


class State(TextChoices):
    UNASSIGNED = "unassigned", "not assigned"
    ASSIGNED = "assigned", "assigned"
    GOING_ON = "going on", "being judged"
    DONE = "done", "all judged"


class RoundState(NamedTuple):
    """A round with how many people have something in it, and how many of its documents are judged. The main round has
    all documents of the pool that are not additional; ``open_topics`` says how many of its topics nobody has."""

    round: Round
    people: int = 0
    judged: int = 0
    documents: int = 0
    open_topics: int = 0

    @property
    def state(self) -> State:
        if not self.people:
            return State.UNASSIGNED
        if self.judged >= self.documents:
            return State.DONE
        return State.GOING_ON if self.judged else State.ASSIGNED


def round_states(campaign: Campaign) -> list[RoundState]:
    """The rounds in which somebody has something, the oldest first, and the main round of a frozen pool in any case. In
    a fixed number of queries."""
    counted, pool = counts_by_round(campaign), campaign.frozen_pool()
    rounds = Round.objects.filter(pool__campaign=campaign).select_related("pool__campaign")
    shown = [each for each in rounds.order_by(F("created").asc(nulls_first=True), "pk") if each.pk in counted]
    if pool is None:
        return [RoundState(each, **counted[each.pk]) for each in shown]
    main = next((each for each in shown if each.pool_id == pool.pk and each.kind == Round.Kind.MAIN), None)
    main = main or pool.rounds.filter(kind=Round.Kind.MAIN).first() or Round(pool=pool, kind=Round.Kind.MAIN)
    additional = sum(counted[each.pk]["documents"] for each in shown if each.kind == Round.Kind.ADDITIONAL)
    documents = Instance.objects.filter(entry__pool=pool).count() - additional
    own = {**counted.get(main.pk, {}), "documents": documents, "open_topics": open_topics(pool).count()}
    states = [RoundState(each, **(own if each == main else counted[each.pk])) for each in shown]
    return states if main in shown else [*states, RoundState(main, **own)]


def counts_by_round(campaign: Campaign) -> dict[int, dict[str, int]]:
    """The fields of a state by round, without assignments that were taken back. After a hand-over, its first assessor
    has what was judged before it."""
    assigned = Assignment.objects.filter(round__pool__campaign=campaign).order_by()
    given = assigned.values_list("round").annotate(
        people=Count("assessor", distinct=True),
        documents=Sum(ArrayLength("instance_order"), filter=Q(handed_over=None)),
    )
    judgments = Judgment.objects.filter(assignment__in=assigned.values("pk")).order_by()
    before = Count("pk", filter=Q(assignment__handed_over__isnull=False))
    made = judgments.values_list("assignment__round").annotate(all=Count("pk"), before=before)
    counted = {pk: (judged, before) for pk, judged, before in made}
    return {
        pk: {"people": people, "judged": judged, "documents": (documents or 0) + before}
        for pk, people, documents in given
        for judged, before in [counted.get(pk, (0, 0))]
    }
