"""The topics of a campaign."""

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse

from assess.models import Campaign, Instance, Member, Topic
from assess.services.campaign import campaigns
from assess.services.common.access import EVERYONE, ORGANIZER, STAFF, campaign_for
from assess.services.common.wording import number
from assess.services.pipeline import next_elsewhere
from assess.web.campaign.forms import TopicsForm
from assess.web.common.forms import errors_on
from assess.web.common.html import post_html, query_html, tex_html
from assess.web.common.responses import refusals


def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """The topics, which experts may read; for organizers a form to import a file of them."""
    found = campaign_for(request.user, slug, STAFF if request.method in ("GET", "HEAD") else ORGANIZER)
    form = TopicsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        with errors_on(form, "file"):
            new, known = campaigns.import_topics(found, file, file.name)
            there = f", {known} {'was' if known == 1 else 'were'} here already" if known else ""
            messages.success(request, f"{number(new, 'topic')} imported{there}.")
            return redirect("topics", slug)
    rows = list(found.topics.select_related("campaign"))
    siblings = siblings_of(request, found, rows)
    context = {
        "campaign": found,
        "form": form if found.role == Member.Role.ORGANIZER else None,  # type: ignore[attr-defined]
        "topics": [
            (topic, post_html(found, topic.title), tex_html(found, topic.latex), siblings.get(topic.number))
            for topic in rows
        ],
        "pool": found.current_pool(),
        "threads": sum(bool(row.thread_id) for row in rows),
        "next": next_elsewhere(found, "topics") if found.role == Member.Role.ORGANIZER else None,  # type: ignore[attr-defined]
    }
    return render(request, "campaign/topics.html", context)


def siblings_of(request: HttpRequest, found: Campaign, rows: list[Topic]) -> dict[int, Topic]:
    """For each number the topic of the other task of this edition, in one query. Ids are A.9 and B.9."""
    letter = "A" if found.is_formulas else "B"
    others = Campaign.objects.visible_to(request.user).filter(edition=found.edition).exclude(pk=found.pk)
    twins = Topic.objects.filter(campaign__in=others, topic_id__in=[f"{letter}.{row.number}" for row in rows])
    return {twin.number: twin for twin in twins.select_related("campaign").only("topic_id", "number", "campaign__slug")}


def topics_delete(request: HttpRequest, slug: str) -> HttpResponse:
    found = campaign_for(request.user, slug)
    if request.method == "POST":
        with refusals(request):
            messages.success(request, f"{number(campaigns.delete_topics(found), 'topic')} deleted.")
        return redirect("topics", slug)
    context = {
        "campaign": found,
        "title": f"Delete all {number(found.topics.count(), 'topic')}?",
        "text": "You can import them again from their file. Runs stay.",
        "action": "Delete all topics",
        "back": reverse("topics", args=[slug]),
    }
    return render(request, "campaign/confirm.html", context)


def topic(request: HttpRequest, slug: str, topic_id: str) -> HttpResponse:
    """A topic as assessors see it; organizers also see what the pool holds for it."""
    found = campaign_for(request.user, slug, EVERYONE)
    one = get_object_or_404(found.topics.select_related("campaign"), topic_id=topic_id)
    highlight = [one.formula_id] if one.formula_id else []
    context = {
        "campaign": found,
        "section": "topics",
        "topic": one,
        "title": post_html(found, one.title, highlight),
        "body": post_html(found, one.body, highlight),
        "formula": query_html(one),
        "sibling": campaigns.sibling(one, Campaign.objects.visible_to(request.user)),
    }
    if found.role == Member.Role.ORGANIZER:  # type: ignore[attr-defined]
        context |= {"pool": found.current_pool(), "pooled": pooled(found, one)}
    return render(request, "campaign/topic.html", context)


def pooled(found: Campaign, one: Topic) -> dict[str, int]:
    """How many units and documents the current pool holds for a topic."""
    instances = Instance.objects.filter(entry__pool=found.current_pool(), entry__topic=one)
    return instances.aggregate(units=Count("entry", distinct=True), documents=Count("pk"))


urlpatterns = [
    path("c/<slug:slug>/topics/", topics, name="topics"),
    path("c/<slug:slug>/topics/delete/", topics_delete, name="topics_delete"),
    path("c/<slug:slug>/topics/<str:topic_id>/", topic, name="topic"),
]
