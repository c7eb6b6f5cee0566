"""What stands beside the items of the desk: rulings, questions to the organizer, own progress."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple, cast
from zoneinfo import ZoneInfo, available_timezones

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from assess.models import Assignment
from assess.services.common.access import assignment_for
from assess.services.common.errors import Refused
from assess.services.judging import progress, rulings
from assess.services.judging.pace import minutes_of_day
from assess.web.common.durations import about
from assess.web.common.responses import number_in, see_other, wants_json

ZONE = "zone"
"""The cookie in which a browser with scripts names its time zone, as "Europe/Prague"."""


class OwnTopic(NamedTuple):
    """A topic of an assessor on a list: how far it is, and what is left in words, if that can be told."""

    assignment: Assignment
    own: progress.OwnProgress
    estimate: str


def own_topics(assignments: Iterable[Assignment]) -> list[OwnTopic]:
    """One assessor's assignments with how far each is, in three queries more."""
    chosen = list(assignments)
    found = progress.of_assessor(chosen)
    return [OwnTopic(one, found[one.pk], about(found[one.pk].seconds_left)) for one in chosen]


@cache
def known_zones() -> set[str]:
    return available_timezones()


def beside(request: HttpRequest, mine: Assignment, place: int, *, preview: bool = False) -> dict[str, Any]:
    """For the page of an item and for its script; an organizer's preview has the rulings only."""
    posted = rulings.posted(mine)
    if preview:
        return {"rulings": posted}
    return {
        "rulings": posted,
        "new_rulings": [one for one in posted if one.is_new],
        "questions": [one for one in rulings.open_questions(mine) if one.place],
        "here": place,
        "most_words": rulings.MOST_WORDS,
        **own_progress(request, mine),
    }


def own_progress(request: HttpRequest, mine: Assignment) -> dict[str, Any]:
    """What a page about one topic says of it, and the minutes of today over all of them."""
    topic = own_topics([mine])[0]
    return {"own": topic.own, "estimate": topic.estimate, "minutes": minutes_today(request)}


def minutes_today(request: HttpRequest) -> int:
    """In the time zone that the browser names, else the server's."""
    name = request.COOKIES.get(ZONE, "")
    zone = ZoneInfo(name) if name in known_zones() else timezone.get_default_timezone()
    return minutes_of_day(cast(User, request.user), timezone.now(), zone)


@require_safe
def news(request: HttpRequest, pk: int) -> HttpResponse:
    """Rulings, those that are new, questions and progress as they are now, as parts of a page, and how many rulings
    there were so far."""
    mine = assignment_for(request.user, pk)
    context = {**beside(request, mine, number_in(request.GET, "place")), "assignment": mine}
    parts = {name: render_to_string(f"judging/_{name}.html", context, request) for name in ("rulings", "ruled", "own")}
    return JsonResponse({**parts, "version": mine.topic.ruling_version})


@require_POST
def ask(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """A question from an item, perhaps about the one document that was looked at; then the item again."""
    text, problem = request.POST.get("text", ""), ""
    try:
        rulings.ask(pk, cast(User, request.user), place, text, number_in(request.POST, "instance"))
    except IndexError as error:
        raise Http404 from error
    except Refused as error:
        problem = str(error)
    if wants_json(request):
        return JsonResponse({"detail": problem}, status=422 if problem else 200)
    messages.add_message(request, messages.ERROR if problem else messages.SUCCESS, problem or _("Asked"))
    return see_other(reverse("judge", args=[pk, place]))


@require_POST
def look_again(request: HttpRequest, pk: int, ruling: int) -> HttpResponse:
    """Tick a ruling off; back to where that was done."""
    mine = rulings.look_again(pk, cast(User, request.user), ruling)
    if wants_json(request):
        return JsonResponse({})
    place = number_in(request.POST, "place")
    is_place = 1 <= place <= len(mine.order)
    return see_other(reverse("judge", args=[pk, place]) if is_place else reverse("assignment", args=[pk]))


urlpatterns = [
    path("judge/<int:pk>/news/", news, name="desk_news"),
    path("judge/<int:pk>/<int:place>/ask/", ask, name="ask"),
    path("judge/<int:pk>/rulings/<int:ruling>/seen/", look_again, name="ruling_seen"),
]
