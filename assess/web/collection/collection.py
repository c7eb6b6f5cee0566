"""The collection a campaign searches."""

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path

from assess.models import Campaign, Collection, Job
from assess.services.campaign import campaigns
from assess.services.collection import collections, images
from assess.services.common.access import campaign_for
from assess.services.common.errors import Refused
from assess.services.jobs.job_queue import submit
from assess.tasks import enqueue
from assess.web.collection.forms import ChooseCollectionForm, CollectionForm, ImportForm
from assess.web.common.forms import errors_on
from assess.web.common.job_start import start
from assess.web.common.pipeline import counts_of, elsewhere
from assess.web.common.responses import unfinished
from assess.web.common.uploads import store


def collection(request: HttpRequest, slug: str) -> HttpResponse:
    """What is searched: chosen first, then imported as a job."""
    found = campaign_for(request.user, slug)
    if not found.collection:
        return choose(request, found)
    form = ImportForm(request.POST or None, request.FILES or None, collection=found.collection)
    running = unfinished(found, Job.Kind.COLLECTION)
    if form.is_valid() and not running:
        with errors_on(form):
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
    return render(request, "collection/collection.html", told_of(found, found.collection, form) | context)


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
        with errors_on(form), transaction.atomic():
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
    return render(request, "collection/choose.html", {"campaign": found, "form": form})


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
    path("c/<slug:slug>/collection/", collection, name="collection"),
]
