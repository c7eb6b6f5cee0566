"""The topics of a campaign."""

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from assess.ir.formats.topic_sheet import COLUMNS
from assess.models import Action, Campaign, Instance, Member
from assess.services.campaign import campaigns
from assess.services.common.access import EVERYONE, ORGANIZER, STAFF
from assess.services.common.wording import number
from assess.services.pipeline import next_elsewhere
from assess.web.campaign.forms import TopicsForm, TopicSheetForm
from assess.web.common.doors import campaign_action, campaign_view
from assess.web.common.html import fields_of, post_html, query_html
from assess.web.common.responses import confirm, errors_on, person, tell_done


@campaign_view(STAFF, changes=ORGANIZER)
def topics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = TopicsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        with errors_on(form, "file"):
            if not form.warn(*filter(None, [campaigns.other_year(campaign, file, file.name)])):
                done, notes = campaigns.import_topics(campaign, file, file.name, person(request))
                tell_done(request, done)
                for note in notes:
                    messages.warning(request, note)
                return redirect("topics", campaign.slug)
    return show_topics(request, campaign, form, TopicSheetForm())


def show_topics(request: HttpRequest, campaign: Campaign, form: TopicsForm, sheet: TopicSheetForm) -> HttpResponse:
    rows = list(campaign.topics.defer("body"))
    siblings = campaigns.siblings_of(request.user, campaign, rows)
    context = {
        "form": form if campaign.role == Member.Role.ORGANIZER else None,
        "sheet": sheet,
        "has_tags": any(row.tags for row in rows),
        "has_sheet": any(getattr(row, column) for row in rows for column in COLUMNS),
        "topics": [
            (topic, post_html(campaign, topic.title), query_html(topic), siblings.get(topic.number)) for topic in rows
        ],
        "pool": campaign.current_pool(),
        "threads": sum(bool(row.thread_id) for row in rows),
        "next": next_elsewhere(campaign, "topics") if campaign.role == Member.Role.ORGANIZER else None,
    }
    return render(request, "campaign/topics.html", context, status=422 if form.errors or sheet.errors else 200)


@campaign_action(ORGANIZER, "topics")
def topic_sheet(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse:
    form = TopicSheetForm(request.POST, request.FILES)
    if form.is_valid():
        file = form.cleaned_data["file"]
        with errors_on(form, "file"):
            return campaigns.import_topic_sheet(campaign, file, file.name, person(request))
    return show_topics(request, campaign, TopicsForm(), form)


@campaign_action(ORGANIZER, "topics")
def topics_delete(request: HttpRequest, campaign: Campaign, topic_id: str = "") -> Action | HttpResponse:
    topic = get_object_or_404(campaign.topics, topic_id=topic_id) if topic_id else None
    if "sure" in request.POST:
        return campaigns.delete_topics(campaign, person(request), topic)
    what = f"topic {topic}" if topic else f"all {number(campaign.topics.count(), 'topic')}"
    back = topic.get_absolute_url() if topic else reverse("topics", args=[campaign.slug])
    return confirm(request, f"Delete {what}?", "You can import them again. Runs are not deleted.", "Delete", back)


@campaign_view(EVERYONE, section="topics")
def topic(request: HttpRequest, campaign: Campaign, topic_id: str) -> HttpResponse:
    topic = get_object_or_404(campaign.topics, topic_id=topic_id)
    highlight = [topic.formula_id] if topic.formula_id else []
    context = {
        "topic": topic,
        "title": post_html(campaign, topic.title, highlight),
        "body": post_html(campaign, topic.body, highlight),
        "fields": fields_of(campaign, topic),
        "formula": query_html(topic),
        "sibling": campaigns.siblings_of(request.user, campaign, [topic]).get(topic.number),
    }
    if campaign.role == Member.Role.ORGANIZER:
        shown = campaign.rules.topic_fields or topic.fields
        context["unseen"] = [name for name in topic.fields if name not in shown]
        pooled = Instance.objects.filter(entry__pool=(pool := campaign.current_pool()), entry__topic=topic)
        counts = pooled.aggregate(units=Count("entry", distinct=True), documents=Count("pk"))
        context |= {"pool": pool, "pooled": counts}
    return render(request, "campaign/topic.html", context)
