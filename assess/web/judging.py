"""The judging desk: the list of an assignment's entries, one page for each, and the organizers' look at it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_safe

from assess.ir import presets
from assess.ir.rows import GRADES
from assess.models import Assignment, Campaign
from assess.models.judging import Outcome
from assess.services import judging
from assess.services.access import EVERYONE, assignment_for, campaign_for
from assess.services.errors import Refused
from assess.web.candidates import Candidate, candidates
from assess.web.entries import entries_of
from assess.web.html import plain_title, post_html, tex_html

FILTERS = ("open", "judged", *(str(grade) for grade in GRADES), *presets.OUTCOME_LABELS)


@require_safe
def assignment(request: HttpRequest, pk: int) -> HttpResponse:
    """All entries of an assignment with the assessor's own judgments; ``?show=`` keeps those of one state."""
    mine = assignment_for(request.user, pk)
    rows = entries_of(mine)
    show = request.GET.get("show", "")
    chosen = [row for row in rows if show in row.states] if show in FILTERS else rows
    counts = Counter(state for row in rows for state in row.states)
    campaign = mine.round.pool.campaign
    labels = {"open": "Open", "judged": "Judged", **grade_names(campaign), **presets.OUTCOME_LABELS}
    context = {
        "assignment": mine,
        "title": post_html(campaign, mine.topic.title),
        "rows": chosen,
        "total": len(rows),
        "judged": counts["judged"],
        "first_open": next((row.place for row in rows if "open" in row.states), None),
        "show": show,
        "filters": [(state, labels[state], counts[state]) for state in FILTERS if counts[state] or state == show],
    }
    return render(request, "judging/assignment.html", context)


def grade_names(campaign: Campaign) -> dict[str, str]:
    return {str(one.grade): one.name for one in presets.GRADES[campaign.rules.task]}


@require_http_methods(["GET", "HEAD", "POST"])
def judge(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """One entry: shown on GET, judged on POST."""
    mine = assignment_for(request.user, pk)
    page = page_at(mine, place)
    if request.method != "POST":
        return desk(request, page, candidates(page))
    cards = candidates(page, request.POST)
    go = request.POST.get("go", "")
    if not all(card.form.is_valid() for card in cards):
        return desk(request, page, cards, "Nothing was saved yet: see the notes at the posts.")
    decisions = [card.form.decision() for card in cards if card.form.is_decided]
    if not decisions and not go:
        return desk(request, page, cards, "Choose a grade first, or leave this one open with Next.")
    try:
        judging.record(mine, mine.assessor, decisions)
    except Refused as error:
        return desk(request, page, cards, str(error))
    if decisions:
        messages.success(request, "Saved" if len(decisions) == 1 else f"{len(decisions)} saved")
    return see_other(after_saving(mine, place, go))


def page_at(mine: Assignment, place: int) -> judging.Page:
    try:
        return judging.open_page(mine, place)
    except IndexError as error:
        raise Http404 from error


def after_saving(mine: Assignment, place: int, go: str) -> str:
    """Where to go on: where the assessor wants to, else the next open place, else the list with its thanks."""
    elsewhere = {"home": reverse("home"), "list": reverse("assignment", args=[mine.pk])}
    if go in elsewhere:
        return elsewhere[go]
    neighbour = {"previous": place - 1, "next": place + 1}.get(go, 0)
    if 1 <= neighbour <= len(mine.order):
        return reverse("judge", args=[mine.pk, neighbour])
    finished = judging.finished_entries(mine)
    still_open = judging.first_open(mine, finished, place)
    if still_open is None and mine.order[place - 1] not in finished:
        still_open = place
    return reverse("judge", args=[mine.pk, still_open]) if still_open else elsewhere["list"]


def see_other(address: str) -> HttpResponse:
    """A redirect that makes the browser GET, whatever it came from."""
    response = HttpResponseRedirect(address)
    response.status_code = 303
    return response


def desk(
    request: HttpRequest, page: judging.Page, cards: list[Candidate], problem: str = "", *, preview: bool = False
) -> HttpResponse:
    """The page of judging, for the assessor or, as a preview, for an organizer."""
    campaign, topic = page.campaign, page.topic
    words = guide(campaign)
    words["outcomes"] = [one for one in words["outcomes"] if is_offered(one[0], cards)]
    highlight = (topic.formula_id,) if topic.formula_id else ()
    title, body = (post_html(campaign, html, highlight) for html in (topic.title, topic.body))
    is_marked = f'data-formula-id="{topic.formula_id}"' in title + body
    name = "preview" if preview else "judge"
    key = [campaign.slug, page.assignment.pk] if preview else [page.assignment.pk]
    context = {
        "page": page,
        "cards": cards,
        "problem": problem,
        "preview": preview,
        "title": title,
        "body": body,
        "query": tex_html(campaign, topic.latex) if topic.latex and not is_marked else "",
        "previous": reverse(name, args=[*key, page.place - 1]) if page.place > 1 else "",
        "next": reverse(name, args=[*key, page.place + 1]) if page.place < page.total else "",
        "page_title": f"{topic.topic_id}, {page.place} of {page.total}: {plain_title(topic.title)}",
        **words,
    }
    return render(request, "judging/page.html", context, status=422 if problem else 200)


def is_offered(outcome: str, cards: list[Candidate]) -> bool:
    """One instance alone has no others to match; where it was called so, that stays to be seen."""
    chosen = {card.form["word"].value() for card in cards}
    return outcome != Outcome.NOT_MATCHING or len(cards) > 1 or outcome in chosen


def guide(campaign: Campaign) -> dict[str, Any]:
    """The words of judging in a campaign."""
    rules = campaign.rules
    outcomes = presets.outcomes(rules.task)
    return {
        "question": presets.QUESTIONS[rules.task],
        "grades": presets.GRADES[rules.task],
        "outcomes": [(one, presets.OUTCOME_LABELS[one], presets.OUTCOME_MEANINGS[one]) for one in outcomes],
        "guidelines": rules.guidelines,
    }


@require_safe
def preview(request: HttpRequest, slug: str, pk: int, place: int) -> HttpResponse:
    """Exactly what the assessor sees at a place, without the means to change it."""
    campaign = campaign_for(request.user, slug)
    found = Assignment.objects.select_related("round__pool__campaign__collection", "topic", "assessor")
    page = page_at(get_object_or_404(found, pk=pk, round__pool__campaign=campaign), place)
    return desk(request, page, candidates(page), preview=True)


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """Grades, outcomes and guidelines of a campaign, for all its members."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    return render(request, "judging/guidelines.html", {"campaign": campaign, **guide(campaign)})


urlpatterns = [
    path("judge/<int:pk>/", assignment, name="assignment"),
    path("judge/<int:pk>/<int:place>/", judge, name="judge"),
    path("c/<slug:slug>/preview/<int:pk>/<int:place>/", preview, name="preview"),
    path("c/<slug:slug>/guidelines/", guidelines, name="guidelines"),
]
