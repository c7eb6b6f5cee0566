"""Threads, as background for a judgment, and the pictures in posts."""

from __future__ import annotations

from typing import NamedTuple

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from assess.models import Campaign, Post
from assess.services import images
from assess.services.access import EVERYONE, campaign_for
from assess.web.html import post_html


class Remark(NamedTuple):
    """A comment below a post."""

    text: SafeString
    owner: str
    score: int | None


class Link(NamedTuple):
    """Another question that this one is linked to; without a title where the thread is not here."""

    thread_id: str
    title: SafeString | None
    kind: str


class ThreadPost(NamedTuple):
    """A post of a thread as the template takes it."""

    post: Post
    title: SafeString
    body: SafeString
    remarks: list[Remark]
    is_accepted: bool


@require_safe
def thread(request: HttpRequest, slug: str, thread_id: str) -> HttpResponse:
    """A question with its answers, the accepted one marked; ``?formula=`` names a formula to highlight."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    posts = list(
        Post.objects.filter(collection=campaign.collection, thread_id=thread_id).prefetch_related("comments", "links")
    )
    if not posts:
        return render(request, "threads/missing.html", {"campaign": campaign, "thread_id": thread_id}, status=404)
    highlight = (request.GET.get("formula", ""),)
    accepted = {post.accepted_id for post in posts if post.accepted_id}
    shown = [thread_post(campaign, post, highlight, accepted) for post in sorted(posts, key=by_score)]
    context = {
        "campaign": campaign,
        "question": next((one for one in shown if one.post.kind == Post.Kind.QUESTION), None),
        "answers": [one for one in shown if one.post.kind == Post.Kind.ANSWER],
        "links": links(campaign, posts),
    }
    return render(request, "threads/thread.html", context)


def by_score(post: Post) -> tuple[int, str]:
    """Answers with the highest score first."""
    return (-(post.score or 0), post.post_id.zfill(20))


def thread_post(campaign: Campaign, post: Post, highlight: tuple[str], accepted: set[str]) -> ThreadPost:
    remarks = [Remark(post_html(campaign, one.text, highlight), one.owner, one.score) for one in post.comments.all()]
    title, body = (post_html(campaign, html, highlight) for html in (post.title, post.body))
    return ThreadPost(post, title, body, remarks, post.post_id in accepted)


def links(campaign: Campaign, posts: list[Post]) -> list[Link]:
    """Duplicates and related questions of a thread."""
    found = [link for post in posts for link in post.links.all() if post.kind == Post.Kind.QUESTION]
    stored = Post.objects.filter(
        collection=campaign.collection, post_id__in=[link.related_id for link in found], kind=Post.Kind.QUESTION
    )
    titles = {post.post_id: post_html(campaign, post.title) for post in stored}
    return [Link(link.related_id, titles.get(link.related_id), link.get_kind_display()) for link in found]


@require_safe
def topic_thread(request: HttpRequest, slug: str, topic_id: str) -> HttpResponse:
    """The topic's own post. The collection ends before the topics were asked, so there are no answers."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    topic = get_object_or_404(campaign.topics, topic_id=topic_id)
    highlight = (topic.formula_id,)
    context = {
        "campaign": campaign,
        "topic": topic,
        "title": post_html(campaign, topic.title, highlight),
        "body": post_html(campaign, topic.body, highlight),
    }
    return render(request, "threads/topic.html", context)


@require_safe
def post_image(request: HttpRequest, slug: str, name: str) -> FileResponse:
    """A picture that the organizers stored; what is not a picture by its first bytes is not served."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    if campaign.collection is None or not images.NAME.fullmatch(name):
        raise Http404
    file = images.folder(campaign.collection) / name
    if not file.is_file():
        raise Http404
    with file.open("rb") as start:
        kind = images.image_type(start.read(64))
    if kind is None:
        raise Http404
    return FileResponse(file.open("rb"), content_type=kind)


urlpatterns = [
    path("c/<slug:slug>/threads/<str:thread_id>/", thread, name="thread"),
    path("c/<slug:slug>/topics/<str:topic_id>/thread/", topic_thread, name="topic_thread"),
    path("c/<slug:slug>/images/<str:name>", post_image, name="post_image"),
]
