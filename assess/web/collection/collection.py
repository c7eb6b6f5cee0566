"""The collection a campaign searches."""

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path

from assess.models import Campaign, Collection
from assess.services import job_kinds
from assess.services.campaign import campaigns
from assess.services.collection import collections, images
from assess.services.common.access import ORGANIZER
from assess.services.common.uploads import keep_file
from assess.services.common.wording import counts_of
from assess.services.jobs.job_queue import submit
from assess.services.pipeline import next_elsewhere
from assess.tasks import enqueue
from assess.web.collection.forms import ChooseCollectionForm, CollectionForm, CollectionImportForm
from assess.web.common.doors import campaign_view
from assess.web.common.forms import errors_on, render_form
from assess.web.common.job_start import start
from assess.web.common.responses import person, unfinished


@campaign_view(ORGANIZER)
def collection(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The collection: chosen first, then imported by a job."""
    if not campaign.collection:
        return choose(request, campaign)
    form = CollectionImportForm(request.POST or None, request.FILES or None, collection=campaign.collection)
    running = unfinished(campaign, job_kinds.import_collection)
    if form.is_valid() and not running:
        with errors_on(form):
            collections.require_unused(campaign.collection)
            params = {"collection": campaign.collection.pk, "files": files_of(form), "years": form.years()}
            return start(request, campaign, job_kinds.import_collection, **params)
    context = {
        "campaign": campaign,
        "form": form,
        "running": running,
        "shared_with": campaign.collection.campaigns.visible_to(request.user).exclude(pk=campaign.pk),
        "frozen": collections.frozen_campaign(campaign.collection),
        "next": next_elsewhere(campaign, "collection"),
    }
    return render_form(request, "collection/collection.html", context | contents(campaign.collection, form))


def contents(collection: Collection, form: CollectionForm) -> dict[str, object]:
    """What the collection contains, and the fields of its form in rows: a file and its path, the two years."""
    pairs = [*((kind, f"{kind}_path") for kind in collections.KINDS), ("first_year", "last_year")]
    sources = collection.sources
    return {
        "collection": collection,
        "rows": [[form[name] for name in pair if name in form.fields] for pair in pairs],
        "counts": counts_of(collection.counts),
        "files": [(label, sources[kind]) for kind, label in collections.KINDS.items() if kind in sources],
        "images": len(images.image_names(collection)),
    }


def choose(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Create a collection or take another campaign's. A job then looks up the runs already imported in it."""
    form = ChooseCollectionForm(request.POST or None, user=request.user)
    if form.is_valid():
        share = form.cleaned_data.get("share")
        with errors_on(form), transaction.atomic():
            collection = share or Collection.objects.create(name=form.cleaned_data["name"])
            campaigns.use_collection(campaign, collection, person(request))
            if share and campaign.runs.exists():
                job = submit(campaign, job_kinds.import_collection, person(request), collection=collection.pk, files=[])
                transaction.on_commit(lambda: enqueue(job.pk))
                return redirect(job)
            return redirect("collection", campaign.slug)
    return render_form(request, "collection/choose.html", {"campaign": campaign, "form": form})


def files_of(form: CollectionForm) -> list[dict[str, str]]:
    """The files of the form as parameters of the job."""
    files = []
    for kind in form.kinds:
        if upload := form.cleaned_data.get(kind):
            files.append({"kind": kind, "name": upload.name, "path": keep_file(upload)})
        elif path := form.cleaned_data.get(f"{kind}_path"):
            files.append({"kind": kind, "name": path.name, "path": str(path)})
    return files


urlpatterns = [
    path("c/<slug:slug>/collection/", collection, name="collection"),
]
