"""The threads in which the topics were asked, and their import by a job."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse

from assess.models import Campaign
from assess.services import job_kinds
from assess.services.collection.topic_threads import KINDS
from assess.services.common.access import ORGANIZER
from assess.services.common.workspace import keep_file
from assess.web.collection.collection import CollectionForm, files_of
from assess.web.common.doors import campaign_view
from assess.web.common.forms import SeveralFilesField, render_form
from assess.web.common.jobs import start_job
from assess.web.common.responses import unfinished


class TopicThreadsForm(CollectionForm):
    """Files of the site or web pages."""

    kinds = KINDS
    help = {
        "posts": "Questions and answers written after the last year of the collection, in the site's format.",
        "comments": "Comments below these posts.",
        "links": "Related and duplicate questions.",
        "users": "Authors' names.",
        "votes": "Scores, if the posts lack them.",
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
    form = TopicThreadsForm(request.POST or None, request.FILES or None)
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
