"""The list of an assignment: an assessor's own judgments, to find, to look at and to change."""

from __future__ import annotations

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from assess.models import Assignment, Campaign, Ruling
from assess.services import items, post_tasks, rulings
from assess.services.access import assignment_for
from assess.web.beside import own_progress
from assess.web.entries import entries_of
from assess.web.html import post_html
from assess.web.words import labels


@never_cache
@require_safe
def assignment(request: HttpRequest, pk: int) -> HttpResponse:
    """All entries of an assignment with the assessor's own judgments; ``?show=`` keeps those of one state, ``?q=``
    those whose text or comments hold all of these words, ``?before=`` those judged before a ruling."""
    mine = assignment_for(request.user, pk)
    rows = entries_of(mine)
    campaign = mine.round.pool.campaign
    states_shown = state_labels(campaign)
    counts = Counter(state for row in rows for state in row.states)
    show = request.GET.get("show", "")
    words = request.GET.get("q", "").strip()
    found = [row for row in rows if row.holds(words)]
    ruling = ruling_of(mine, request.GET.get("before", ""))
    if ruling:
        earlier = rulings.entries_before(mine, ruling)
        found = [row for row in found if mine.order[row.place - 1] in earlier]
    states = items.states(mine)
    context = {
        "assignment": mine,
        "title": post_html(campaign, mine.topic.title),
        "rows": [row for row in found if show in row.states] if show in states_shown else found,
        "total": len(rows),
        "judged": counts["judged"],
        "first_open": items.first_open(states),
        "second_look": states.find(items.UNKNOWN) + 1,
        "unknown": states.count(items.UNKNOWN),
        "rulings": rulings.posted(mine),
        "before": ruling,
        **own_progress(request, mine),
        "written": post_tasks.waiting(mine) if post_tasks.is_judged(states) else None,
        "show": show,
        "q": words,
        "filters": [
            (state, label, counts[state]) for state, label in states_shown.items() if counts[state] or state == show
        ],
    }
    return render(request, "judging/assignment.html", context)


def ruling_of(mine: Assignment, pk: str) -> Ruling | None:
    """The ruling that the list is asked about."""
    return rulings.ruling_for(mine, int(pk)) if pk.isdecimal() else None


def state_labels(campaign: Campaign) -> dict[str, str]:
    """The states by which the list can be filtered, in their order."""
    work = {"open": _("Open"), "deferred": _("Deferred"), "judged": _("Judged")}
    own = {"commented": _("With a comment"), "changed": _("Changed")}
    return {**work, **labels(campaign.rules.task), **own}


urlpatterns = [path("judge/<int:pk>/", assignment, name="assignment")]
