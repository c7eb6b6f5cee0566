"""The page of an assignment, where assessors find, reread and change their own judgments."""

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
from assess.web.judging.filtered_list import filters, state_labels
from assess.web.judging.sidebar import own_progress


@never_cache
@require_safe
def assignment_page(request: HttpRequest, pk: int) -> HttpResponse:
    """All entries of an assignment with the assessor's own judgments, or those that the filters keep."""
    assignment = assignment_for(request.user, pk)
    entries = entries_of(assignment)
    campaign = assignment.campaign
    counts = Counter(state for entry in entries for state in entry.states)
    chosen = filters(assignment, request.GET)
    states = items.states(assignment)
    context = {
        "assignment": assignment,
        "title": post_html(campaign, assignment.topic.title),
        "rows": chosen.of(assignment, entries),
        "query": chosen.query,
        "total": len(entries),
        "judged": counts["judged"],
        "first_open": items.first_open(states),
        "second_look": states.find(items.UNKNOWN) + 1,
        "unknown": states.count(items.UNKNOWN),
        "rulings": rulings.posted(assignment),
        "before": chosen.before,
        **own_progress(request, assignment),
        "written": post_tasks.waiting(assignment) if post_tasks.is_judged(states) else None,
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


urlpatterns = [path("judge/<int:pk>/", assignment_page, name="assignment")]
