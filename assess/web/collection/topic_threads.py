"""The threads in which the topics were asked: what is there, and their import as a job."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from assess.models import Campaign, Job
from assess.services.collection import topic_threads as service
from assess.services.common.access import campaign_for
from assess.web.collection.collection import files_of
from assess.web.collection.forms import CollectionForm
from assess.web.common.forms import SeveralFilesField
from assess.web.common.job_start import start
from assess.web.common.responses import unfinished
from assess.web.common.uploads import store


class TopicThreadsForm(CollectionForm):
    """Files of the site, or web pages; with either a table of topics and posts."""

    kinds = service.KINDS
    help = {
        "posts": "Questions and answers written after the collection ends, in the format of the site.",
        "comments": "Comments below these posts.",
        "links": "Related and duplicate questions.",
        "users": "Names of the authors.",
        "votes": "Scores, where the posts lack them.",
    }
    year = forms.IntegerField(
        required=False, min_value=1990, max_value=2100, help_text="Answers written after this year are left out."
    )
    pages = SeveralFilesField(
        required=False,
        label="HTML files or a zip archive of them",
        help_text="A page for each thread, as the labs made them or as saved from the site; up to 100 files at a time.",
    )
    table = forms.FileField(
        required=False,
        label="Table of topics and posts",
        help_text="Tab-separated: topic_id, post_id. Topics that it leaves out are found by title and text, pages "
        "also by the name of their file, such as A.301.html.",
    )

    def check_together(self) -> None:
        self.cleaned_data["pages"] = [file for file in self.cleaned_data["pages"] if file]
        given = [kind for kind in self.kinds if self.given(kind)]
        if bool(given) == bool(self.cleaned_data["pages"]):
            raise forms.ValidationError("Give the files of the site or web pages, one of the two.")
        if given and not self.given("posts"):
            self.add_error("posts", "The other files say more about posts: add Posts.xml.")


def topic_threads(request: HttpRequest, slug: str) -> HttpResponse:
    """Which topics have their thread, and a form to import threads; they take the place of those that are here."""
    found = campaign_for(request.user, slug)
    form = TopicThreadsForm(request.POST or None, request.FILES or None)
    running = unfinished(found, Job.Kind.TOPIC_THREADS)
    if form.is_valid() and not running:
        files = [*files_of(form), *others(form)]
        return start(request, found, Job.Kind.TOPIC_THREADS, files=files, year=form.cleaned_data["year"])
    return render(request, "collection/topic_threads.html", told_of(found, form) | {"running": running})


def others(form: TopicThreadsForm) -> list[dict[str, str]]:
    """Pages and table as the job takes them."""
    table = form.cleaned_data["table"]
    given = [("pages", file) for file in form.cleaned_data["pages"]] + ([("table", table)] if table else [])
    return [{"kind": kind, "name": file.name, "path": store(file)} for kind, file in given]


def told_of(found: Campaign, form: TopicThreadsForm) -> dict[str, Any]:
    rows = list(found.topics.all())
    return {
        "campaign": found,
        "section": "topics",
        "form": form,
        "site": [*(field for field in form if field.name not in TopicThreadsForm.base_fields), form["year"]],
        "threads": found.topic_threads,
        "topics": rows,
        "with_thread": [row for row in rows if row.thread_id],
        "without_thread": [row for row in rows if not row.thread_id],
    }


urlpatterns = [path("c/<slug:slug>/topics/threads/", topic_threads, name="topic_threads")]
