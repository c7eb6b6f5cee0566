"""What a campaign is made from: topics and collection."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse

from assess.models import Campaign, Collection, Instance, Job, Member, Topic
from assess.services import campaigns, collections, images
from assess.services.access import EVERYONE, ORGANIZER, STAFF, campaign_for
from assess.services.errors import Refused
from assess.services.jobs import submit
from assess.tasks import enqueue
from assess.web.answers import refusals, unfinished
from assess.web.file_forms import ChooseCollectionForm, CollectionForm, ImportForm, TopicsForm
from assess.web.forms import told
from assess.web.html import post_html, query_html, tex_html
from assess.web.jobs import start
from assess.web.pipeline import counts_of, elsewhere, number
from assess.web.uploads import store


def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """The topics, which experts may read; for organizers a form to import a file of them."""
    found = campaign_for(request.user, slug, STAFF if request.method in ("GET", "HEAD") else ORGANIZER)
    form = TopicsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        with told(form, "file"):
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
        "next": elsewhere(found, "topics") if found.role == Member.Role.ORGANIZER else None,  # type: ignore[attr-defined]
    }
    return render(request, "sources/topics.html", context)


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
    return render(request, "campaigns/confirm.html", context)


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
    return render(request, "sources/topic.html", context)


def pooled(found: Campaign, one: Topic) -> dict[str, int]:
    """How many units and documents the current pool holds for a topic."""
    instances = Instance.objects.filter(entry__pool=found.current_pool(), entry__topic=one)
    return instances.aggregate(units=Count("entry", distinct=True), documents=Count("pk"))


def collection(request: HttpRequest, slug: str) -> HttpResponse:
    """What is searched: chosen first, then imported as a job."""
    found = campaign_for(request.user, slug)
    if not found.collection:
        return choose(request, found)
    form = ImportForm(request.POST or None, request.FILES or None, collection=found.collection)
    running = unfinished(found, Job.Kind.COLLECTION)
    if form.is_valid() and not running:
        with told(form):
            collections.require_unused(found.collection)
            params = {"collection": found.collection.pk, "files": files_of(form), "years": form.years()}
            return start(request, found, Job.Kind.COLLECTION, **params)
    others = found.collection.campaigns.visible_to(request.user).exclude(pk=found.pk)
    context: dict[str, object] = {
        "form": form,
        "running": running,
        "shared_with": others,
        "frozen": is_frozen(found.collection),
    }
    context |= {"next": elsewhere(found, "collection")}
    return render(request, "sources/collection.html", told_of(found, found.collection, form) | context)


def is_frozen(one: Collection) -> bool:
    """Whether a frozen pool stands on the texts, so that they cannot change."""
    try:
        collections.require_unused(one)
    except Refused:
        return True
    return False


def told_of(found: Campaign, one: Collection, form: CollectionForm) -> dict[str, object]:
    """What the page of a collection tells, and the fields of its form in rows, one for each kind of file."""
    return {
        "campaign": found,
        "collection": one,
        "rows": [[form[name] for name in names if name in form.fields] for names in field_rows()],
        "counts": counts_of(one.counts),
        "files": [(label, one.sources[kind]) for kind, label in collections.KINDS.items() if kind in one.sources],
        "images": len(images.names(one)),
    }


def field_rows() -> list[tuple[str, str]]:
    return [*((kind, f"{kind}_path") for kind in collections.KINDS), ("first_year", "last_year")]


def choose(request: HttpRequest, found: Campaign) -> HttpResponse:
    """A new collection, or another campaign's; runs that are here already are then looked up in it, as a job."""
    form = ChooseCollectionForm(request.POST or None, user=request.user)
    if form.is_valid():
        share = form.cleaned_data.get("share")
        with told(form), transaction.atomic():
            made = share or Collection(name=form.cleaned_data["name"])
            if not share:
                made.save()
            campaigns.use_collection(found, made)
            if share and found.runs.exists():
                by = User.objects.get(username=request.user.get_username())
                job = submit(found, Job.Kind.COLLECTION, by, collection=made.pk, files=[])
                transaction.on_commit(lambda: enqueue(job.pk))
                return redirect(job)
            return redirect("collection", found.slug)
    return render(request, "sources/choose.html", {"campaign": found, "form": form})


def files_of(form: CollectionForm) -> list[dict[str, str]]:
    """The files of the form as the job takes them."""
    found = []
    for kind in form.kinds:
        if upload := form.cleaned_data.get(kind):
            found.append({"kind": kind, "name": upload.name, "path": store(upload)})
        elif path := form.cleaned_data.get(f"{kind}_path"):
            found.append({"kind": kind, "name": path.name, "path": str(path)})
    return found


urlpatterns = [
    path("c/<slug:slug>/topics/", topics, name="topics"),
    path("c/<slug:slug>/topics/delete/", topics_delete, name="topics_delete"),
    path("c/<slug:slug>/topics/<str:topic_id>/", topic, name="topic"),
    path("c/<slug:slug>/collection/", collection, name="collection"),
]
