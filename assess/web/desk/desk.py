"""The judging desk: one item after the other, for the assessor and, to look at, for organizers; also as settings that
nobody has saved yet would make it, with rows that are stored nowhere.

A page and a program get the same item and send the same form; who asks for JSON gets the item as a part of a page.
"""

import logging
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.models import Assignment, Campaign, Instance, Member, Pool, Post, Round, Topic
from assess.services.common.access import ORGANIZER, assignment_for, own_assignments
from assess.services.common.errors import Conflict, Refused
from assess.services.desk import decisions, documents
from assess.services.pool.content import as_card
from assess.services.rounds.adjudication import earlier_judgments
from assess.web.campaign.campaigns import edit_page
from assess.web.campaign.settings_form import SettingsForm
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.html import fields_of, inside_links, plain_title, post_html, tex_html
from assess.web.common.responses import as_number, person, see_other, wants_json
from assess.web.desk import labels
from assess.web.desk.assignment_list import CLOSED, ListNavigation, home_if_not_open, list_navigation
from assess.web.desk.documents import Shown, decision_of, posts_of, whole_number_in
from assess.web.desk.sidebar import sidebar_context

BATCH = 12
"""The most items that are sent at once."""
AHEAD, FORMULAS_AHEAD = 6, 2
"""How many items the desk has ready, all formulas set: answers, or up to five posts each."""
FORMULA = '<span class="math-container" data-formula-id="1">a^2 + b^2 = c^2</span>'
"""In the document that an organizer who changes the settings sees."""

logger = logging.getLogger(__name__)


@require_http_methods(["GET", "HEAD", "POST"])
def judge(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """One item: shown on GET, a document of it judged on POST, whose answer no cache keeps anyway."""
    if request.method == "POST" and wants_json(request):
        return save_for_script(request, pk)
    return judge_on_page(request, pk, place=place)


@never_cache
@home_if_not_open
def judge_on_page(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    if request.method == "POST":
        return save_on_page(request, pk, place)
    return show_desk(request, assignment_for(request.user, pk), place)


def save_on_page(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    """A decision of a browser without scripts: kept, then the next open document. If it is refused, the item again,
    with what was sent and why; the home page if the assignment was taken back."""
    try:
        saved = decisions.save_decisions(pk, person(request), [decision_of(request.POST)])
    except Refused as error:
        if get_object_or_404(own_assignments(request.user), pk=pk).is_open:
            return show_desk(request, assignment_for(request.user, pk), place, str(error))
        messages.error(request, str(error))
        return see_other(reverse("home"))
    messages.success(request, _("Saved") if saved.judgments[0] else _("Taken back"))
    assignment = saved.assignment
    if not assignment.is_open:
        messages.warning(request, CLOSED)
        return see_other(reverse("home"))
    states = documents.states(assignment)
    if states[place - 1 : place] in (documents.OPEN, documents.DEFERRED):  # another document of the item is open
        return see_other(reverse("judge", args=[pk, place]) + list_navigation(assignment, request.GET).query)
    return see_other(next_address(assignment, place, request.GET, states))


def next_address(assignment: Assignment, place: int, sent: QueryDict, states: str) -> str:
    """What comes after a place: the next of the list that it was opened from, else the next open one, else the list."""
    listed = list_navigation(assignment, sent)
    following = listed.next(place) if listed.query else documents.first_open(states, place)
    address = reverse("judge", args=[assignment.pk, following]) if following else assignment.get_absolute_url()
    return address + listed.query


def save_for_script(request: HttpRequest, pk: int) -> HttpResponse:
    """A decision of the desk's script: kept, and the item of the place that it wants next."""
    try:
        want = whole_number_in(request.POST, "want")
        saved = decisions.save_decisions(pk, person(request), [decision_of(request.POST)], want)
    except Conflict as error:
        return JsonResponse({"detail": str(error), "standing": decisions.as_fields(error.standing)}, status=409)
    except Refused as error:
        return JsonResponse({"detail": str(error)}, status=422)
    answer: dict[str, Any] = {"standing": decisions.as_fields(saved.judgments[0])}
    if not saved.assignment.is_open:
        answer["closed"] = True
    elif 1 <= want <= len(saved.assignment.order):
        item = item_for_script(saved.assignment, want, saved.instances)
        answer |= {"item": item} if item else {}
    return JsonResponse(answer)


def item_for_script(
    assignment: Assignment, place: int, known: Iterable[Instance] | None = None
) -> dict[str, Any] | None:
    """None, and an entry in the log, if the item cannot be shown: that must neither hide a save nor keep other items
    back. Raises Http404 for a place out of range."""
    try:
        item = documents.open_item(assignment, place, known)
        context = item_context(item, posts_of(item, with_mathml=False))  # the script sets the formulas itself
        return {"place": item.place, "html": render_to_string("desk/_item.html", context)}
    except Http404:
        raise
    except Exception:
        logger.exception("Cannot show place %s of assignment %s", place, assignment.pk)
        return None


def item_context(item: documents.Item, posts: list[Shown], *, preview: bool = False, query: str = "") -> dict[str, Any]:
    total = len(item.assignment.order)
    judged = earlier_judgments(item.assignment, [card.instance.pk for card in item.cards])
    return {
        "item": item,
        "posts": posts,
        "total": total,
        "heading": heading(len(posts), len(item.cards)),
        "max_comment": decisions.MAX_LENGTHS["comment"] - 100,  # a reason may come before the typed words
        "label": _("%(place)s of %(total)s") % {"place": item.place, "total": total},
        "preview": preview,
        "earlier": [judged[card.instance.pk] for card in item.cards] if judged else [],
        "rules": item.campaign.rules,
        "address": "" if preview else reverse("judge", args=[item.assignment.pk, item.place]) + query,
    }


def heading(posts: int, documents: int) -> str:
    """What is to judge, if there is more than one document."""
    if documents == 1:
        return ""
    if documents == posts:
        return _("%(posts)s posts with the same formula: judge each one") % {"posts": posts}
    places = ngettext("%(posts)s post", "%(posts)s posts", posts) % {"posts": posts}
    return _("The same formula %(count)s times in %(posts)s: judge each one") % {"count": documents, "posts": places}


@require_safe
def batch(request: HttpRequest, pk: int) -> HttpResponse:
    """The progress of the assignment, and the items of the places asked for, without those that cannot be shown."""
    assignment = assignment_for(request.user, pk)
    places = map(as_number, request.GET.getlist("place")[:BATCH])
    shown = [item for place in places if place is not None and (item := item_for_script(assignment, place))]
    return JsonResponse({**documents.place_states(assignment)._asdict(), "items": shown})


@require_POST
def defer(request: HttpRequest, pk: int, place: int) -> HttpResponse:
    is_deferred = request.POST.get("defer") != "no"
    assignment = decisions.defer_entry(pk, person(request), place, is_deferred)
    if wants_json(request):
        return JsonResponse({})
    if not is_deferred:
        return see_other(reverse("judge", args=[pk, place]) + list_navigation(assignment, request.GET).query)
    messages.success(request, _("Deferred to the end"))
    return see_other(next_address(assignment, place, request.GET, documents.states(assignment)))


def show_desk(
    request: HttpRequest, assignment: Assignment, place: int, problem: str = "", *, preview: bool = False
) -> HttpResponse:
    """The page of judging, for the assessor or, as a preview, for an organizer. ``problem``: why what was sent was
    refused."""
    item = documents.open_item(assignment, place)
    listed = list_navigation(assignment, request.GET)
    posts = posts_of(item, sent=request.POST if problem else None, problem=problem)
    context = {
        **desk_context(item, documents.place_states(assignment), posts, listed, preview=preview),
        "problem": problem,
        **sidebar_context(request, assignment, place, preview=preview),
    }
    return render(request, "desk/page.html", context, status=422 if problem else 200)


def desk_context(
    item: documents.Item, places: documents.Places, posts: list[Shown], listed: ListNavigation, *, preview: bool
) -> dict[str, Any]:
    """All of the page but what stands beside the items."""
    campaign, topic, states = item.campaign, item.topic, places.states
    highlight = (topic.formula_id,) if topic.formula_id else ()
    inside = inside_links(campaign, Member.Role.ASSESSOR, [topic.body, *topic.fields.values()])
    title, body = (post_html(campaign, html, highlight, inside=inside) for html in (topic.title, topic.body))
    return {
        **item_context(item, posts, preview=preview, query=listed.query),
        **places._asdict(),
        "judged": len(states) - states.count(documents.OPEN) - states.count(documents.DEFERRED),
        "is_deferred": states[item.place - 1] == documents.DEFERRED,
        "is_judged": documents.is_all_judged(states[item.place - 1]),
        "title": title,
        "body": body,
        "fields": fields_of(campaign, topic, inside),
        "query": tex_html(campaign, topic.latex) if topic.latex else "",
        **list_links(item, listed, preview),
        "early_ms": settings.DESK_EARLY_MS,
        "ahead": FORMULAS_AHEAD if campaign.is_formulas else AHEAD,
        "stored": settings.DESK_STORED,
        "page_title": f"{topic.topic_id}, {item.place}/{len(states)}: {plain_title(topic.title)}",
        **words_of_judging(campaign),
        "reasons": labels.usual_reasons(campaign.rules, item.assignment.round.is_settling),
        "assignment": item.assignment,
    }


def list_links(item: documents.Item, listed: ListNavigation, preview: bool) -> dict[str, Any]:
    """The links to the list that the item was opened from, and to the items before and after it there."""

    def address(place: int) -> str:
        keys = [item.campaign.slug, item.assignment.pk] if preview else [item.assignment.pk]
        return reverse("preview" if preview else "judge", args=[*keys, place]) + listed.query if place else ""

    return {
        "previous": address(listed.previous(item.place)),
        "next": address(listed.next(item.place)),
        "listed": listed,
        "position": listed.position(item.place),
    }


def words_of_judging(campaign: Campaign) -> dict[str, Any]:
    rules = campaign.rules
    return {
        "question": labels.translated(rules.question),
        "rules": rules,
        "meanings": labels.meanings(rules),
        "guidelines": [_(text) for text in rules.guidelines],
    }


@campaign_page(ORGANIZER)
def preview(request: HttpRequest, campaign: Campaign, pk: int, place: int) -> HttpResponse:
    """Exactly what the assessor sees at a place, without the means to change it."""
    assignments = Assignment.objects.select_related("round", "topic__campaign__collection", "assessor")
    assignment = get_object_or_404(assignments, pk=pk, topic__campaign=campaign)
    return show_desk(request, assignment, place, preview=True)


@campaign_view(ORGANIZER, section="desk", when_archived=True)
def settings_desk(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The desk with the settings as entered, the campaign's first topic and a document of ours; or the form, if it is
    refused."""
    if request.method == "POST":
        form = SettingsForm(request.POST, campaign=campaign, frozen=bool(campaign.frozen_pool()))
        if not form.is_valid():
            return edit_page(request, campaign, form=form)
        campaign.protocol = campaign.protocol | form.rules
    item = sample_item(campaign)
    [post] = posts_of(item)
    post["documents"][0]["thread"] = ""
    context = desk_context(item, documents.Places(documents.OPEN, []), [post], ListNavigation([1]), preview=True)
    return render(request, "desk/page.html", context)


def sample_item(campaign: Campaign) -> documents.Item:
    rules, text = campaign.rules, f"<p>{_('This text stands for what your assessors will read.')}</p>"
    fields = dict.fromkeys((*rules.topic_fields, *rules.folded_fields), text)
    sample = Topic(campaign=campaign, topic_id="1", number=1, title=_("A sample topic"), body="", fields=fields)
    topic = campaign.topics.first() or sample
    in_thread, body = rules.kind.has_threads, text + FORMULA * campaign.is_formulas
    post_kind, title = (Post.Kind.ANSWER, "") if in_thread else (Post.Kind.DOCUMENT, _("A sample document"))
    post = Post(post_id="1", thread_id="1", kind=post_kind, title=title, body=body, url="", language="")
    kind = Instance.Kind.FORMULA if campaign.is_formulas else Instance.Kind.DOCUMENT
    assessor, main = User(username=_("an assessor")), Round(kind=Round.Kind.MAIN, pool=Pool())
    assignment = Assignment(topic=topic, assessor=assessor, round=main, order=[0])
    return documents.Item(assignment, 1, [as_card(topic, Instance(pk=0, doc_id="1", kind=kind), post)], {})
