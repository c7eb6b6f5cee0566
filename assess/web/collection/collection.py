"""The collection a campaign searches: its files and the pictures in its posts, added by organizers."""

from collections.abc import Mapping, Sequence
from os.path import isfile
from typing import Any

from django import forms
from django.db import transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from assess.models import Action, Campaign, Collection
from assess.services import job_kinds
from assess.services.campaign import campaigns
from assess.services.collection import collections, images
from assess.services.common.access import EVERYONE, ORGANIZER, Person
from assess.services.common.wording import counts_of
from assess.services.common.workspace import keep_file
from assess.services.jobs.job_queue import submit
from assess.services.pipeline import next_elsewhere
from assess.tasks import enqueue
from assess.web.campaign.forms import CollectionChoice
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.forms import NameField, SeveralFilesField
from assess.web.common.jobs import start_job
from assess.web.common.responses import errors_on, person, render_form, unfinished


class ChooseCollectionForm(forms.Form):
    """A new collection, or an existing one of another campaign."""

    name = NameField(required=False, label="Name of a new collection")
    share = CollectionChoice(
        Collection.objects.none(), required=False, empty_label="Choose a collection …",
        label="Or use an existing collection",
    )  # fmt: skip

    def __init__(self, *args: Any, user: Person, suggested: str = "", **kwargs: Any) -> None:
        """``suggested``: a name for a new collection, if it is free. A name counts unless a collection is chosen."""
        super().__init__(*args, **kwargs)
        if not Collection.objects.filter(name=suggested).exists():
            self.fields["name"].initial = suggested
        others = campaigns.collections_of(user)
        self.fields["share"].queryset = others  # type: ignore[attr-defined]
        if not others.exists():
            del self.fields["share"]
            self.fields["name"].required = True

    def clean(self) -> dict[str, Any]:
        name, share = self.cleaned_data.get("name"), self.cleaned_data.get("share")
        if not self.errors and not name and not share:
            raise forms.ValidationError("Name a new collection or choose an existing one.")
        if not share and Collection.objects.filter(name=name).exists():
            self.add_error("name", "A collection with this name already exists. Choose another name.")
        return self.cleaned_data


HELP = {
    "posts": "Questions and answers. Required first, unless only formulas are searched.",
    "comments": "Comments below posts, shown in threads.",
    "links": "Related and duplicate questions, shown in threads.",
    "users": "Authors' names, for posts and comments imported at the same time.",
    "votes": "Scores, for posts imported at the same time.",
    "formulas": "Formula ids with their posts and visual ids: V1, V2 or V3.",
    "documents": "A JSON object on each line (id, text; perhaps title, url, language), TREC’s <DOC>…</DOC>, a table "
    "with tabs, or a zip archive of text and HTML files; plain or packed with gzip.",
}


class CollectionForm(forms.Form):
    """Files of these kinds."""

    help = HELP
    TAKES_GIGABYTES = True

    def __init__(self, kinds: Mapping[str, str], *args: Any) -> None:
        super().__init__(*args)
        self.kinds = kinds
        for kind, label in kinds.items():
            self.fields[kind] = forms.FileField(label=label, required=False, help_text=self.help[kind])

    @property
    def uploaded(self) -> set[str]:
        """The kinds of the files that were chosen."""
        return {kind for kind in self.kinds if self.cleaned_data.get(kind)}


class CollectionImportForm(CollectionForm):
    """The files of a collection, and the years its posts are from; or the file of its documents."""

    key = forms.CharField(
        required=False, max_length=120, label="Names of id, text, title, address and language",
        help_text="The keys or columns, if they have no usual names, such as “page_key” or “page_key, markup, , uri”.",
    )  # fmt: skip
    first_year = forms.IntegerField(required=False, min_value=1990, max_value=2100, label="First year of posts")
    last_year = forms.IntegerField(
        required=False, min_value=1990, max_value=2100, label="Last year of posts",
        help_text="Posts written in other years are left out and counted; posts without a date are kept.",
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        if not self.errors and not self.uploaded:
            raise forms.ValidationError("Choose at least one file.")
        first, last = self.cleaned_data.get("first_year"), self.cleaned_data.get("last_year")
        if first and last and first > last:
            self.add_error("last_year", "The last year is before the first year.")
        return self.cleaned_data


@campaign_view(ORGANIZER)
def collection(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The collection: chosen first, then imported by a job."""
    if not campaign.collection:
        return choose(request, campaign)
    kinds = collections.file_kinds(campaign.rules)
    form = CollectionImportForm(kinds, request.POST or None, request.FILES or None)
    running = unfinished(campaign, job_kinds.import_collection)
    if form.is_valid() and not running:
        with errors_on(form, "posts"):
            collections.refuse_useless_files(campaign.collection, form.uploaded)
            with errors_on(form):
                collections.require_importable(campaign.collection, form.uploaded)
                years = [form.cleaned_data["first_year"], form.cleaned_data["last_year"]]
                params = {"collection": campaign.collection.pk, "files": files_of(form), "years": years}
                return start_job(request, campaign, job_kinds.import_collection, **params)
    frozen, free = collections.frozen_and_open(campaign.collection)
    open_kinds = [kind for kind in kinds if kind in free]
    context = {
        "form": form,
        "running": running,
        "shared_with": campaign.collection.campaigns.visible_to(request.user).exclude(pk=campaign.pk),
        "frozen": frozen,
        "open_kinds": open_kinds,
        "next": next_elsewhere(campaign, "collection"),
    }
    return render_form(request, "collection/collection.html", context | contents(campaign.collection, form, open_kinds))


def contents(collection: Collection, form: CollectionForm, kinds: Sequence[str]) -> dict[str, object]:
    """What the collection contains, and its form's fields in rows: files, then years of posts or keys of documents."""
    more = {"posts": ["first_year", "last_year"], "documents": ["key"]}
    rows = [*([kind] for kind in kinds), *(more[kind] for kind in kinds if kind in more)]
    sources = collection.sources
    return {
        "collection": collection,
        "rows": [[form[name] for name in row] for row in rows],
        "counts": counts_of(collection.counts),
        "files": [(label, sources[kind]) for kind, label in form.kinds.items() if kind in sources],
        "images": len(images.image_names(collection)),
    }


def choose(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Create a collection or take another campaign's. A job then looks up the runs already imported in it."""
    form = ChooseCollectionForm(request.POST or None, user=request.user, suggested=campaign.name)
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
    return render_form(request, "collection/choose.html", {"form": form})


def files_of(form: CollectionForm) -> list[dict[str, str]]:
    """The files of the form as parameters of the job."""
    uploads = ((kind, form.cleaned_data[kind]) for kind in form.kinds if kind in form.uploaded)
    about = {"key": key} if (key := form.cleaned_data.get("key")) else {}
    return [{"kind": kind, "name": file.name, "path": keep_file(file)} | about for kind, file in uploads]


class ImagesForm(forms.Form):
    images = SeveralFilesField(
        label="Pictures, or a zip archive of pictures",
        help_text="PNG, JPEG, GIF or WebP of at most 10 MB each, named as in the texts. Up to 100 files, or an archive "
        "of up to 5,000.",
    )


@campaign_action(ORGANIZER, "collection", asks=True, collection_images="")
def collection_images(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse:
    """Which pictures are stored, which are missing, and a form to add them."""
    collection = get_object_or_404(Collection, campaigns=campaign)
    form = ImagesForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        with errors_on(form, "images"):
            return images.add_images(campaign, collection, form.cleaned_data["images"], person(request))
    context = {"form": form, "names": images.image_names(collection), "missing": images.missing_images(collection)}
    return render_form(request, "collection/images.html", context)


@campaign_page(EVERYONE)
def post_image(request: HttpRequest, campaign: Campaign, name: str) -> FileResponse:
    """A picture that the organizers uploaded. A file that is not a picture by its first bytes is not served."""
    if campaign.collection and images.NAME.fullmatch(name):
        file = images.image_folder(campaign.collection) / name
        if isfile(file):  # also False for names that no file can have
            with file.open("rb") as source:
                kind = images.image_type(source.read(64))
            if kind:
                return FileResponse(file.open("rb"), content_type=kind)
    raise Http404
