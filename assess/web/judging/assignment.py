"""The list of an assignment: an assessor's own judgments, to find, to look at and to change."""

from __future__ import annotations

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from assess.services.common.access import assignment_for
from assess.services.judging import items, post_tasks, rulings
from assess.web.common.html import post_html
from assess.web.judging.assignment_list import entries_of
from assess.web.judging.filtered_list import narrowing, state_labels
from assess.web.judging.sidebar import own_progress


@never_cache
@require_safe
def assignment(request: HttpRequest, pk: int) -> HttpResponse:
    """All entries of an assignment with the assessor's own judgments; ``?show=`` keeps those of one state, ``?q=``
    those whose text or comments hold all of these words, ``?before=`` those judged before a ruling."""
    mine = assignment_for(request.user, pk)
    rows = entries_of(mine)
    campaign = mine.round.pool.campaign
    counts = Counter(state for row in rows for state in row.states)
    chosen = narrowing(mine, request.GET)
    states = items.states(mine)
    context = {
        "assignment": mine,
        "title": post_html(campaign, mine.topic.title),
        "rows": chosen.of(mine, rows),
        "query": chosen.query,
        "total": len(rows),
        "judged": counts["judged"],
        "first_open": items.first_open(states),
        "second_look": states.find(items.UNKNOWN) + 1,
        "unknown": states.count(items.UNKNOWN),
        "rulings": rulings.posted(mine),
        "before": chosen.before,
        **own_progress(request, mine),
        "written": post_tasks.waiting(mine) if post_tasks.is_judged(states) else None,
        "show": chosen.show,
        "q": chosen.words,
        "unsearched": chosen._replace(words="").query or "?",
        "filters": [
            (state, label, counts[state])
            for state, label in state_labels(campaign).items()
            if counts[state] or state == chosen.show
        ],
    }
    return render(request, "judging/assignment.html", context)


urlpatterns = [path("judge/<int:pk>/", assignment, name="assignment")]
