"""The judging desk: one item after the other, for the assessor and, to look at, for organizers.

A page and a program get the same item and send the same form; who asks for JSON gets the item as a part of a page.
"""

from __future__ import annotations

import logging
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.ir.campaign.words import QUESTIONS, outcomes
from assess.models import Assignment, Campaign, Judgment, Member
from assess.services.common.access import EVERYONE, assignment_for, campaign_for
from assess.services.common.errors import Conflict, Refused
from assess.services.common.statements import Rows
from assess.services.judging import items, judging
from assess.web.common.html import inside_links, plain_title, post_html, tex_html
from assess.web.common.jinja import rendered
from assess.web.common.responses import see_other, wants_json
from assess.web.judging import labels
from assess.web.judging.candidates import candidates, decision_of, whole
from assess.web.judging.filtered_list import Walk, walk
from assess.web.judging.sidebar import beside

BATCH = 12
"""The most items that are sent at once."""

logger = logging.getLogger(__name__)


@require_http_methods(["GET", "HEAD", "POST"])
def judge(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """One item: shown on GET, a candidate of it judged on POST, whose answer no cache keeps anyway."""
    if request.method == "POST" and wants_json(request):
        return save_for_program(request, pk)
    return judge_on_page(request, pk, place)


@never_cache
def judge_on_page(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    if request.method == "POST":
        return save(request, pk, place)
    mine = assignment_for(request.user, pk)
    return desk(request, item_at(mine, place), items.places(mine))


def item_at(mine: Assignment, place: int, rows: Rows | None = None) -> items.Item:
    try:
        return items.open_item(mine, place, rows)
    except IndexError as error:
        raise Http404 from error


def save(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """A decision of a browser without scripts: kept, then the next open candidate."""
    try:
        kept = judging.record(pk, cast(User, request.user), [decision_of(request.POST)])
    except Refused as error:
        return refused(request, pk, place, error)
    messages.success(request, _("Saved") if kept.judgments[0] else _("Taken back"))
    if kept.assignment.closed:
        messages.warning(request, _("This topic is no longer assigned to you. Your judgments are kept."))
    return see_other(after_saving(kept.assignment, place, request.GET))


def refused(request: HttpRequest, pk: int, place: int, error: Refused) -> HttpResponse:
    """The item again, with what was sent and why it was not kept; at home where there is no item any longer."""
    if judging.assignment_of(cast(User, request.user), pk).closed:
        messages.error(request, str(error))
        return see_other(reverse("home"))
    mine = assignment_for(request.user, pk)
    return desk(request, item_at(mine, place), items.places(mine), request.POST, str(error))


def after_saving(mine: Assignment, place: int, sent: QueryDict) -> str:
    """Here again while a candidate is open, else the next of the list that it was opened from, else the next open
    place, else the list with its thanks; home from a topic that was taken back."""
    if mine.closed:
        return reverse("home")
    states = items.states(mine)
    if states[place - 1 : place] in (items.OPEN, items.DEFERRED):
        return reverse("judge", args=[mine.pk, place]) + walk(mine, sent).query
    return onward(mine, place, sent, states)


def onward(mine: Assignment, place: int, sent: QueryDict, states: str) -> str:
    """What comes after a place: the next of the list that it was opened from, else the next open one, else the list."""
    way = walk(mine, sent)
    following = way.next(place) if way.query else items.first_open(states, place)
    address = reverse("judge", args=[mine.pk, following]) if following else reverse("assignment", args=[mine.pk])
    return address + way.query


def save_for_program(request: HttpRequest, pk: int) -> HttpResponse:
    """A decision of the desk's script: kept, and the item of the place that it wants next."""
    try:
        want = whole(request.POST, "want")
        kept = judging.record(pk, cast(User, request.user), [decision_of(request.POST)], want)
    except Conflict as error:
        standing = as_json(cast(Judgment | None, error.standing))
        return JsonResponse({"detail": str(error), "standing": standing}, status=409)
    except Refused as error:
        return JsonResponse({"detail": str(error)}, status=422)
    answer: dict[str, Any] = {"standing": as_json(kept.judgments[0])}
    if kept.assignment.closed:
        answer["closed"] = True
    elif 1 <= want <= len(kept.assignment.order) and (item := shown_item(kept.assignment, want, kept.rows)):
        answer["item"] = item
    return JsonResponse(answer)


def as_json(judgment: Judgment | None) -> dict[str, str]:
    """What stands of a document: nothing is an empty word."""
    if judgment is None:
        return {"word": "", "comment": "", "key": ""}
    return {"word": judgment.decision, "comment": judgment.comment, "key": judgment.key}


def shown_item(mine: Assignment, place: int, rows: Rows | None = None) -> dict[str, Any] | None:
    """An item for the desk's script; none, and an entry in the log, where it cannot be shown: that must neither hide
    a save nor keep other items back."""
    try:
        return as_item(item_at(mine, place, rows))
    except Http404:
        raise
    except Exception:
        logger.exception("Cannot show place %s of assignment %s", place, mine.pk)
        return None


def as_item(item: items.Item) -> dict[str, Any]:
    """An item without MathML: the script sets the formulas itself."""
    return {"place": item.place, "html": item_html(item_context(item, candidates(item, with_mathml=False)))}


def item_html(context: dict[str, Any], request: HttpRequest | None = None) -> SafeString:
    """The part of a page that holds an item, the same for the page, its script and a browser without scripts."""
    return rendered("item.html", context, request)


def item_context(item: items.Item, cards: list[Any], *, preview: bool = False, query: str = "") -> dict[str, Any]:
    total, number, heading = len(item.assignment.order), len(cards), ""
    if number > 1:
        heading = ngettext("%(number)s post", "%(number)s posts with the same formula: judge each one", number)
    return {
        "item": item,
        "cards": cards,
        "total": total,
        "heading": heading % {"number": number},
        "label": _("%(place)s of %(total)s") % {"place": item.place, "total": total},
        "preview": preview,
        "address": "" if preview else reverse("judge", args=[item.assignment.pk, item.place]) + query,
    }


@require_safe
def batch(request: HttpRequest, pk: int) -> HttpResponse:
    """How far the assignment is, and the items of the places asked for, without those that cannot be shown."""
    mine = assignment_for(request.user, pk)
    places = [int(one) for one in request.GET.getlist("place")[:BATCH] if one.isdecimal()]
    found = [item for place in places if (item := shown_item(mine, place))]
    return JsonResponse({**items.places(mine)._asdict(), "items": found})


@require_POST
def defer(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """Put an item off until the end, or no longer."""
    is_deferred = request.POST.get("defer") != "no"
    try:
        mine = judging.defer(pk, cast(User, request.user), place, is_deferred)
    except IndexError as error:
        raise Http404 from error
    if wants_json(request):
        return JsonResponse({})
    if not is_deferred:
        return see_other(reverse("judge", args=[pk, place]) + walk(mine, request.GET).query)
    messages.success(request, _("Deferred to the end"))
    return see_other(onward(mine, place, request.GET, items.states(mine)))


def desk(
    request: HttpRequest,
    item: items.Item,
    places: items.Places,
    sent: QueryDict | None = None,
    problem: str = "",
    *,
    preview: bool = False,
) -> HttpResponse:
    """The page of judging, for the assessor or, as a preview, for an organizer."""
    campaign, topic, mine = item.campaign, item.topic, item.assignment
    highlight = (topic.formula_id,) if topic.formula_id else ()
    inside = inside_links(campaign, Member.Role.ASSESSOR, [topic.body])
    title, body = (post_html(campaign, html, highlight, inside=inside) for html in (topic.title, topic.body))
    is_marked = f'data-formula-id="{topic.formula_id}"' in title + body
    states = places.states
    total, way = len(states), walk(mine, request.GET)
    shown = item_context(item, candidates(item, sent=sent, problem=problem), preview=preview, query=way.query)
    context = {
        **shown,
        "item_html": item_html(shown, request),
        "problem": problem,
        **places._asdict(),
        "judged": total - states.count(items.OPEN) - states.count(items.DEFERRED),
        "is_deferred": states[item.place - 1] == items.DEFERRED,
        "is_judged": states[item.place - 1] not in (items.OPEN, items.DEFERRED),
        "title": title,
        "body": body,
        "query": tex_html(campaign, topic.latex) if topic.latex and not is_marked else "",
        **ways(item, way, preview),
        "page_title": f"{topic.topic_id}, {item.place}/{total}: {plain_title(topic.title)}",
        **guide(campaign),
        "assignment": mine,
        **beside(request, mine, item.place, preview=preview),
    }
    return render(request, "judging/page.html", context, status=422 if problem else 200)


def ways(item: items.Item, way: Walk, preview: bool) -> dict[str, Any]:
    """Where the links of the desk lead: before and after in the list that the item was opened from, and to the list."""

    def address(place: int) -> str:
        known = [item.campaign.slug, item.assignment.pk] if preview else [item.assignment.pk]
        return reverse("preview" if preview else "judge", args=[*known, place]) + way.query if place else ""

    return {
        "previous": address(way.previous(item.place)),
        "next": address(way.next(item.place)),
        "walk": way,
        "walked": way.passed(item.place),
    }


def guide(campaign: Campaign) -> dict[str, Any]:
    """The words of judging in a campaign."""
    rules = campaign.rules
    offered = outcomes(rules.task)
    return {
        "question": _(QUESTIONS[rules.task]),
        "grades": labels.grades(rules.task),
        "outcomes": labels.outcomes(offered),
        "reasons": labels.reasons(offered),
        "guidelines": [_(text) for text in rules.guidelines],
    }


@require_safe
def preview(request: HttpRequest, slug: str, pk: int, place: int) -> HttpResponse:
    """Exactly what the assessor sees at a place, without the means to change it."""
    campaign = campaign_for(request.user, slug)
    found = Assignment.objects.select_related("round__pool__campaign__collection", "topic", "assessor")
    theirs = get_object_or_404(found, pk=pk, round__pool__campaign=campaign)
    return desk(request, item_at(theirs, place), items.places(theirs), preview=True)


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """Grades, outcomes and guidelines of a campaign, for all its members."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    return render(request, "judging/guidelines.html", {"campaign": campaign, **guide(campaign)})


urlpatterns = [
    path("judge/<int:pk>/<int:place>/", judge, name="judge"),
    path("judge/<int:pk>/<int:place>/defer/", defer, name="defer"),
    path("judge/<int:pk>/items/", batch, name="items"),
    path("c/<slug:slug>/preview/<int:pk>/<int:place>/", preview, name="preview"),
    path("c/<slug:slug>/guidelines/", guidelines, name="guidelines"),
]
