"""Threads as background for judging, and the import of those in which the topics were asked."""

from datetime import date
from functools import partial
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.formats import date_format

from assess.models import Campaign, Comment, Post
from assess.services import job_kinds
from assess.services.collection import threads
from assess.services.collection.topic_threads import KINDS
from assess.services.common.access import EVERYONE, ORGANIZER
from assess.services.common.workspace import keep_file
from assess.web.collection.collection import HELP, CollectionForm, files_of
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.forms import SeveralFilesField
from assess.web.common.html import anchored, inside_links, plain_title, post_html
from assess.web.common.jobs import start_job
from assess.web.common.responses import render_form, unfinished


@campaign_page(EVERYONE)
def thread_page(request: HttpRequest, campaign: Campaign, thread_id: str) -> HttpResponse:
    """A question with its answers, the accepted one marked. ``?formula=`` selects a formula to highlight."""
    thread = threads.find_thread(campaign, campaign.role, thread_id)
    if thread is None:
        return render(request, "collection/thread_missing.html", {"thread_id": thread_id}, status=404)
    name = plain_title(thread.question.title) if thread.question else f"Thread {thread_id}"
    context = thread_context(campaign, thread, request.GET.get("formula", "")) | {"name": name}
    return render(request, "collection/thread.html", context)


@campaign_page(EVERYONE, section="topics")
def topic_thread_page(request: HttpRequest, campaign: Campaign, topic_id: str) -> HttpResponse:
    """The question in the topic's own words and tags, with the answers of its thread if that was imported."""
    topic = get_object_or_404(campaign.topics.select_related("campaign__topic_threads"), topic_id=topic_id)
    imported = threads.thread_of_topic(topic, campaign.role)
    question = (imported and imported.question) or Post(post_id=topic.topic_id, kind=Post.Kind.QUESTION)
    question.title, question.body, question.tags = topic.title, topic.body, topic.tags or question.tags
    thread = (imported or threads.Thread(None, [], []))._replace(question=question)
    context = thread_context(campaign, thread, topic.formula_id)
    context |= {"topic": topic, "is_imported": imported is not None, "name": f"Thread of {topic}"}
    return render(request, "collection/thread.html", context)


def thread_context(campaign: Campaign, thread: threads.Thread, formula_id: str) -> dict[str, object]:
    """A thread for the template, with one formula highlighted."""
    posts = [post for post in (thread.question, *thread.answers) if post]
    comments = [list(post.comments.all()) if post.pk else [] for post in posts]
    texts = [*(post.body for post in posts), *(comment.text for each in comments for comment in each)]
    inside = inside_links(campaign, campaign.role, texts)
    shown = partial(post_html, campaign, highlight=[formula_id] if formula_id else [], inside=inside)
    cards = [
        {
            "post": post,
            "title": shown(post.title),
            "body": anchored(shown(post.body)),
            "byline": byline(post),
            "comments": [(comment, shown(comment.text), byline(comment)) for comment in below],
            "is_accepted": thread.question is not None and post.post_id == thread.question.accepted_id,
        }
        for post, below in zip(posts, comments, strict=True)
    ]
    question = cards.pop(0) if thread.question else None
    links = [(link, post_html(campaign, title), is_open) for link, title, is_open in thread.neighbours]
    return {"question": question, "answers": cards, "links": links}


def byline(written: Post | Comment) -> str:
    """Who wrote it and when, if known. Without Users.xml, authors are only numbers."""
    author = f"user {written.owner}" if written.owner.isdigit() else written.owner
    try:
        day = date_format(date.fromisoformat(written.written[:10]), "j M Y")
    except ValueError:
        day = ""
    return ", ".join(filter(None, (author, day)))


class TopicThreadsForm(CollectionForm):
    """Files of the site or web pages."""

    help = HELP | {
        "posts": "Questions and answers written after the last year of the collection, in the site's format."
    }
    year = forms.IntegerField(
        required=False, min_value=1990, max_value=2100, help_text="Answers written after this year are left out."
    )
    pages = SeveralFilesField(
        required=False,
        label="HTML files, or a zip archive of HTML files",
        help_text="One page per thread, published by the lab or saved from the site. Up to 100 files at a time. Topics "
        "are matched by title and text, or by the name of a page such as A.301.html.",
    )

    def clean(self) -> dict[str, Any]:
        pages = self.cleaned_data["pages"] = [file for file in self.cleaned_data.get("pages", ()) if file]
        if not self.errors and bool(self.uploaded) == bool(pages):
            raise forms.ValidationError("Choose either files of the site or web pages.")
        if self.uploaded and "posts" not in self.uploaded:
            self.add_error("posts", "The other files only add to posts: add Posts.xml.")
        return self.cleaned_data


@campaign_view(ORGANIZER)
def threads_of_topics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Which topics have a thread, and a form to import threads in place of the current ones."""
    if not campaign.rules.kind.has_threads:
        raise Http404
    form = TopicThreadsForm(KINDS, request.POST or None, request.FILES or None)
    running = unfinished(campaign, job_kinds.import_topic_threads)
    if form.is_valid() and not running:
        pages = form.cleaned_data["pages"]
        files = files_of(form) + [{"kind": "pages", "name": page.name, "path": keep_file(page)} for page in pages]
        return start_job(request, campaign, job_kinds.import_topic_threads, files=files, year=form.cleaned_data["year"])
    topics = list(campaign.topics.all())
    context = {
        "form": form,
        "site": [*(field for field in form if field.name not in TopicThreadsForm.base_fields), form["year"]],
        "running": running,
        "threads": campaign.topic_threads,
        "topics": topics,
        "with_thread": [topic for topic in topics if topic.thread_id],
        "without_thread": [topic for topic in topics if not topic.thread_id],
    }
    return render_form(request, "collection/topic_threads.html", context)
