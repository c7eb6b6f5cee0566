"""Threads, as background for a judgment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from assess.models import Campaign, Comment, Post, Topic
from assess.services.collection import threads
from assess.services.common.access import EVERYONE, campaign_for
from assess.web.common.html import anchored, inside_links, plain_title, post_html


class Remark(NamedTuple):
    """A comment below a post."""

    text: SafeString
    by: str
    score: int | None


class ThreadPost(NamedTuple):
    """A post of a thread as the template takes it."""

    post_id: str
    title: SafeString
    body: SafeString
    score: int | None
    tags: list[str]
    by: str
    remarks: list[Remark]
    is_accepted: bool


@require_safe
def thread(request: HttpRequest, slug: str, thread_id: str) -> HttpResponse:
    """A question with its answers, the accepted one marked; ``?formula=`` names a formula to highlight."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    found = threads.find(campaign, campaign.role, thread_id)  # type: ignore[attr-defined]
    if found is None:
        return render(
            request, "collection/thread_missing.html", {"campaign": campaign, "thread_id": thread_id}, status=404
        )
    name = plain_title(found.question.title) if found.question else f"Thread {thread_id}"
    context = shown(campaign, found, request.GET.get("formula", "")) | {"name": name}
    return render(request, "collection/thread.html", context)


@require_safe
def topic_thread(request: HttpRequest, slug: str, topic_id: str) -> HttpResponse:
    """The topic's question as it is judged, with the answers of its year where they were imported."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    topic = get_object_or_404(campaign.topics.select_related("campaign__topic_threads"), topic_id=topic_id)
    found = threads.of_topic(topic, campaign.role)  # type: ignore[attr-defined]
    with_topic = (found or threads.Thread(None, [], []))._replace(question=asked(topic, found))
    context = shown(campaign, with_topic, topic.formula_id)
    context |= {"topic": topic, "is_imported": found is not None, "name": f"Thread of {topic}"}
    return render(request, "collection/thread.html", context)


def asked(topic: Topic, found: threads.Thread | None) -> Post:
    """The question of a topic in the topic's own words and formulas; the rest is the post's."""
    post = (found and found.question) or Post(post_id=topic.topic_id, kind=Post.Kind.QUESTION)
    post.title, post.body, post.tags = topic.title, topic.body, topic.tags or post.tags
    return post


def shown(campaign: Campaign, found: threads.Thread, formula_id: str) -> dict[str, object]:
    """A thread as the template takes it, with one formula highlighted."""
    accepted = found.question.accepted_id if found.question else ""
    highlight = [formula_id] if formula_id else []
    question = [found.question] if found.question else []
    posts = [*question, *found.answers]
    texts = [text for post in posts for text in (post.body, *(one.text for one in comments_of(post)))]
    inside = inside_links(campaign, campaign.role, texts)  # type: ignore[attr-defined]
    threaded = [thread_post(campaign, post, highlight, inside, accepted) for post in posts]
    return {
        "campaign": campaign,
        "question": threaded[0] if question else None,
        "answers": threaded[len(question) :],
        "links": [(one, post_html(campaign, one.title)) for one in found.neighbours],
    }


def comments_of(post: Post) -> list[Comment]:
    return list(post.comments.all()) if post.pk else []


def thread_post(
    campaign: Campaign, post: Post, highlight: list[str], inside: Mapping[str, str], accepted: str
) -> ThreadPost:
    return ThreadPost(
        post_id=post.post_id,
        title=post_html(campaign, post.title, highlight),
        body=anchored(post_html(campaign, post.body, highlight, inside=inside)),
        score=post.score,
        tags=post.tags,
        by=byline(post),
        remarks=[remark(campaign, one, highlight, inside) for one in comments_of(post)],
        is_accepted=post.post_id == accepted,
    )


def remark(campaign: Campaign, comment: Comment, highlight: list[str], inside: Mapping[str, str]) -> Remark:
    return Remark(post_html(campaign, comment.text, highlight, inside=inside), byline(comment), comment.score)


def byline(written: Post | Comment) -> str:
    """Who wrote it and when, as far as that is known. Collections without Users.xml know authors by their number."""
    author = f"user {written.owner}" if written.owner.isdigit() else written.owner
    try:
        day = date_format(date.fromisoformat(written.written[:10]), "j F Y")
    except ValueError:
        day = ""
    return ", ".join(filter(None, (author, day)))


urlpatterns = [
    path("c/<slug:slug>/threads/<str:thread_id>/", thread, name="thread"),
    path("c/<slug:slug>/topics/<str:topic_id>/thread/", topic_thread, name="topic_thread"),
]
