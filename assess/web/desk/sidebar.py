"""Beside the items of the desk: rulings, questions to the organizer, own progress."""

from collections.abc import Iterable
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from assess.models import Assignment, Campaign
from assess.services.common.access import assignment_for
from assess.services.common.errors import Refused
from assess.services.desk import rulings
from assess.services.rounds.pace import minutes_of_day
from assess.services.rounds.progress import OwnProgress, of_assessor
from assess.web.common.responses import number_in, person, see_other, wants_json

ZONE = "zone"
"""The cookie in which the script of a page puts its time zone, such as "Europe/Prague"."""


def topics_of(user: User) -> list[OwnProgress]:
    """All topics that a person judges, the newest campaign first, in four queries."""
    own = Assignment.objects.filter(assessor=user, handed_over=None, topic__campaign__archived=None)
    newest = own.filter(topic__campaign__members__user=user).select_related("round", "topic__campaign")
    newest = newest.order_by("-round__pool__campaign__created", "topic__number", "pk")
    return of_assessor(rulings.count_new_rulings(newest))


def topic_to_continue(topics: Iterable[OwnProgress], campaign: Campaign | None = None) -> OwnProgress | None:
    """Of those with something left to judge, if possible in this campaign, the first that was begun, else the first."""
    unfinished = [topic for topic in topics if topic.left and not topic.assignment.paused]
    return min(unfinished, key=lambda topic: (topic.assignment.campaign != campaign, not topic.judged), default=None)


@cache
def known_zones() -> set[str]:
    return available_timezones()


def sidebar_context(
    request: HttpRequest, assignment: Assignment, place: int, *, preview: bool = False
) -> dict[str, Any]:
    """For the page of an item and for its script; an organizer's preview has only the rulings."""
    posted = rulings.rulings_for_assessor(assignment)
    if preview:
        return {"rulings": posted}
    return {
        "rulings": posted,
        "new_rulings": [ruling for ruling in posted if ruling.is_new],
        "questions": rulings.open_questions(assignment),
        "here": place,
        "max_length": rulings.MAX_LENGTH,
        **own_progress(request, assignment),
    }


def own_progress(request: HttpRequest, assignment: Assignment) -> dict[str, Any]:
    """Progress on one topic, and the minutes of today on all of them, in the browser's time zone if that is known."""
    [own] = of_assessor([assignment])
    name = request.COOKIES.get(ZONE, "")
    zone = ZoneInfo(name) if name in known_zones() else timezone.get_default_timezone()
    return {"own": own, "minutes": minutes_of_day(person(request), timezone.now(), zone)}


@require_safe
def news(request: HttpRequest, pk: int) -> HttpResponse:
    """Current rulings, new rulings, questions and progress, as parts of a page; and the number of rulings so far."""
    assignment = assignment_for(request.user, pk)
    context = {**sidebar_context(request, assignment, number_in(request.GET, "place")), "assignment": assignment}
    parts = {name: render_to_string(f"desk/_{name}.html", context, request) for name in ("rulings", "ruled", "own")}
    return JsonResponse({**parts, "version": assignment.topic.ruling_version})


@require_POST
def ask(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """A question from an item, perhaps about one of its documents; then the item again."""
    text, problem = request.POST.get("text", ""), ""
    try:
        rulings.ask_question(pk, person(request), place, text, number_in(request.POST, "instance"))
    except Refused as error:
        problem = str(error)
    if wants_json(request):
        return JsonResponse({"detail": problem}, status=422 if problem else 200)
    messages.add_message(request, messages.ERROR if problem else messages.SUCCESS, problem or _("Asked"))
    return see_other(reverse("judge", args=[pk, place]))


@require_POST
def ruling_seen(request: HttpRequest, pk: int, ruling: int) -> HttpResponse:
    assignment = rulings.mark_ruling_seen(pk, person(request), ruling)
    if wants_json(request):
        return JsonResponse({})
    place = number_in(request.POST, "place")
    is_place = 1 <= place <= len(assignment.order)
    return see_other(reverse("judge", args=[pk, place]) if is_place else reverse("assignment", args=[pk]))
