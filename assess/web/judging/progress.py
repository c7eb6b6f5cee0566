"""How far judging is."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.common.percent import percent
from assess.services.common.access import STAFF, campaign_for
from assess.services.judging.progress import Pace, overview
from assess.web.judging.labels import labels, style


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """The dashboard of organizers and experts."""
    campaign = campaign_for(request.user, slug, STAFF)
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {"campaign": campaign, "pool": pool}
    if pool:
        view = overview(pool)
        unassigned = sum(topic.main is None for topic in view.topics)
        context |= {"view": view, "decisions": decisions(view.whole), "unassigned": unassigned}
    return render(request, "judging/progress.html", context)


def decisions(whole: Pace) -> list[tuple[str, str, int, float]]:
    """For each grade and each outcome that was chosen: CSS class, name, count, percent of the judgments."""
    counts = [(word, name, whole.grades.get(word, 0)) for word, name in labels("answers").items()]
    return [
        (style(word), name, count, percent(count, whole.judged))
        for word, name, count in counts
        if count or word.isdigit()
    ]


urlpatterns = [path("c/<slug:slug>/progress/", progress, name="progress")]
