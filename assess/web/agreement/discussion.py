"""The page on which a training or qualification round is discussed."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from assess.ir.collection.html import title_above
from assess.models import Campaign, Instance, Member, Round, Topic
from assess.services.agreement import discussion
from assess.services.common.access import STAFF, round_for
from assess.services.rounds import rounds
from assess.web.common.doors import campaign_action
from assess.web.common.html import fields_of, inside_links, post_html, query_html
from assess.web.common.responses import checked_fields, number_in, person, refusals
from assess.web.desk.documents import attributes_of, with_directions
from assess.web.pool.pools import thread_address


class GoldForm(forms.Form):
    grade = forms.TypedChoiceField(coerce=int)
    reason = forms.CharField(max_length=5000)

    def __init__(self, *args: Any, campaign: Campaign) -> None:
        super().__init__(*args)
        self.fields["grade"].choices = [(grade, grade) for grade in campaign.rules.values]  # type: ignore[attr-defined]


@require_safe
def round_page(request: HttpRequest, slug: str) -> HttpResponse:
    """A training or qualification round: its participants and, topic by topic, its documents."""
    round = round_for(request.user, slug, number_in(request.GET, "round"))
    if not round.is_preparatory:
        raise Http404
    campaign = round.pool.campaign
    topics = list(Topic.every.filter(entries__pool=round.pool).distinct())
    topic = next((each for each in topics if each.topic_id == request.GET.get("topic")), topics[0])
    participants = discussion.participants(round)
    has_gold = discussion.gold_grades(round).exists()
    context: dict[str, Any] = {
        "campaign": campaign,
        "section": "rounds",
        "round": round,
        "coverage": rounds.Coverage(**round.coverage) if round.coverage else None,
        "participants": participants,
        "left": sum(each.total - each.judged for each in participants),
        "own_topics": campaign.topics.filter(topic_id__in=[each.topic_id for each in topics]),
        "candidates": {each.user.username: each for each in campaign.members.filter(role=Member.Role.CANDIDATE)},
        "others": rounds.possible_members(campaign).exclude(user__in=round.assignments.values("assessor")),
        "topics": topics,
        "topic": topic,
        "query": query_html(topic) or "",
        "has_gold": has_gold,
        "groups": ["gold", "others"] if has_gold else ["others"],
        "fields": fields_of(campaign, topic),
        "topic_title": post_html(campaign, topic.title),
        "topic_body": post_html(campaign, topic.body, (topic.formula_id,) if topic.formula_id else ()),
        "own": round.assignments.filter(topic=topic, assessor_id=request.user.pk or 0, paused=None).first(),
        "rows": documents_of(campaign, round, topic, request.user.pk),
        "rules": campaign.rules,
        "longest_note": discussion.LONGEST_NOTE,
        "is_staff": campaign.role in STAFF,
        "is_judged": round.assignments.filter(events__isnull=False).exists(),
    }
    return render(request, "agreement/round.html", context)


def documents_of(campaign: Campaign, round: Round, topic: Topic, reader: int | None) -> list[dict[str, Any]]:
    documents = discussion.discussed(round, topic)
    inside = inside_links(campaign, Member.Role.ASSESSOR, [document.card.body for document in documents])
    rows = []
    for document in documents:
        card = document.card
        body = with_directions(post_html(campaign, card.body, card.highlight, inside=inside), card.post)
        title = title_above(card.post.title, card.body) if card.post else ""
        shown = {
            "document": document,
            "decided": sum(judgment is not None for _, judgment, _ in document.opinions),
            "title": post_html(campaign, title, card.highlight, inside=inside),
            "body": body,
            "thread": thread_address(campaign, card, body),
            "attributes": attributes_of(card.post),
            "own_note": next((note.text for note in document.notes if note.by_id == reader), ""),
        }
        rows.append(shown)
    return rows


def document_of(round: Round, pk: int) -> Instance:
    return get_object_or_404(Instance.objects.select_related("entry__topic"), pk=pk, entry__pool=round.pool)


def address_in(round: Round, document: Instance) -> str:
    """Of a document on the page of its round."""
    return f"{round.get_absolute_url()}&topic={document.entry.topic.topic_id}#i{document.pk}"


@require_POST
def note(request: HttpRequest, slug: str, pk: int, instance: int) -> HttpResponse:
    """What somebody in the round writes about a document."""
    round = round_for(request.user, slug, pk, changes=True)
    document = document_of(round, instance)
    with refusals(request):
        discussion.write_note(document, request.POST.get("note", ""), person(request))
    return redirect(address_in(round, document))


@campaign_action(STAFF, "round", round="pk")
def gold(request: HttpRequest, campaign: Campaign, pk: int, instance: int) -> HttpResponse:
    """The expert's grade and reasoning for a document."""
    round = get_object_or_404(Round, pk=pk, pool__campaign=campaign, kind__in=Round.PREPARATORY)
    document = document_of(round, instance)
    with refusals(request) as tell:
        sent = checked_fields(GoldForm(request.POST, campaign=campaign))
        tell(rounds.set_gold(round, document, **sent, by=person(request)))
    return redirect(address_in(round, document))
