"""Assigning the topics of the main round on a board of topics and assessors."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from assess.models import Campaign, Pool
from assess.services.common.access import ORGANIZER
from assess.services.rounds import assignments
from assess.services.rounds.progress import TopicProgress, overview
from assess.web.common.doors import campaign_view
from assess.web.common.responses import person, refusals, tell_done


class BoardCell(NamedTuple):
    """A topic and an assessor: the rounds in which it is theirs, and whether they should not judge it."""

    assessor: User
    rounds: list[str]
    is_barred: bool


class BoardRow(NamedTuple):
    """A topic; ``is_open``: too few have it in the main round."""

    progress: TopicProgress
    is_open: bool
    cells: list[BoardCell]


@campaign_view(ORGANIZER, section="board")
def assignment_board(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pool = campaign.frozen_pool()
    if pool is None:
        return redirect("assignments", campaign.slug)  # which says what to do first
    people = list(assignments.assessors_of(pool))
    if request.method == "POST":
        by_pk = {str(user.pk): user for user in people}
        wanted = ((topic, request.POST.get(f"topic-{topic.pk}", "")) for topic in campaign.topics.all())
        chosen = [(topic, by_pk[pk]) for topic, pk in wanted if pk in by_pk]
        with refusals(request):
            tell_done(request, assignments.assign_topics(pool, chosen, person(request)))
            return redirect("assignments", campaign.slug)
    rows, documents = list(board_rows(pool, people)), Counter[int]()
    for share in (share for row in rows for share in row.progress.official):
        documents[share.assignment.assessor_id] += share.pace.total  # of the main round
    context = {"people": [(user, documents[user.pk]) for user in people], "rows": rows}
    open_topics = sum(row.is_open for row in rows)
    return render(request, "rounds/assignment_board.html", context | {"open": open_topics})


def board_rows(pool: Pool, people: Sequence[User]) -> Iterator[BoardRow]:
    topics = overview(pool).topics
    barred = assignments.conflicts_of_interest(pool, [progress.topic.topic_id for progress in topics])
    for progress in topics:
        topic = progress.topic.topic_id
        rounds: defaultdict[int, list[str]] = defaultdict(list)
        for share in progress.assignments:
            rounds[share.assignment.assessor_id].append(str(share.assignment.round))
        cells = [BoardCell(user, rounds[user.pk], (topic, user.username) in barred) for user in people]
        yield BoardRow(progress, not progress.is_assigned, cells)
