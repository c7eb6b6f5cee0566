"""How far the judging is."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.common.percent import percent
from assess.services.common.access import STAFF, campaign_for
from assess.services.judging import progress as pace
from assess.web.judging.labels import labels, style


@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponse:
    """The dashboard of organizers and experts."""
    campaign = campaign_for(request.user, slug, STAFF)
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {"campaign": campaign, "pool": pool}
    if pool:
        view = pace.overview(pool)
        context |= {
            "view": view,
            "decisions": decisions(view.whole),
            "topics": [(one, [(a, view.assignments[a.pk]) for a in one.assignments]) for one in view.topics],
            "unassigned": sum(not any(a.official for a in one.assignments) for one in view.topics),
        }
    return render(request, "judging/progress.html", context)


def decisions(whole: pace.Pace) -> list[tuple[str, str, int, float]]:
    """For each grade and each outcome that was chosen: CSS class, name, count, percent of the judgments."""
    counts = {word: whole.grades.get(word, 0) for word in labels("answers") if word.isdigit() or word in whole.grades}
    return [(style(word), labels("answers")[word], n, percent(n, whole.judged)) for word, n in counts.items()]


urlpatterns = [path("c/<slug:slug>/progress/", progress, name="progress")]
