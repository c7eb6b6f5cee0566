"""The pictures in posts: shown to members, added by organizers."""

from os.path import isfile

from django import forms
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.models import Collection
from assess.services.collection import images
from assess.services.common.access import EVERYONE, campaign_for
from assess.web.common.forms import SeveralFilesField, errors_on
from assess.web.common.pipeline import number
from assess.web.common.responses import attachment

SHOWN = 100
"""So many missing pictures are listed on the page; the file has them all."""


class ImagesForm(forms.Form):
    images = SeveralFilesField(
        label="Pictures or a zip archive of them",
        help_text="PNG, JPEG, GIF or WebP of at most 10 MB, named as in the posts; up to 100 files at a time, in an "
        "archive up to 5,000.",
    )


def collection_images(request: HttpRequest, slug: str) -> HttpResponse:
    """Which pictures stored texts ask for, and which of them are not here; a form to add them."""
    found = campaign_for(request.user, slug)
    one = get_object_or_404(Collection, campaigns=found)
    form = ImagesForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        with errors_on(form, "images"):
            messages.success(request, f"{number(images.add(one, form.cleaned_data['images']), 'picture')} added.")
            return redirect("collection_images", slug)
    missing = images.missing(one)
    context = {
        "campaign": found,
        "section": "collection",
        "form": form,
        "names": images.names(one),
        "missing": missing[:SHOWN],
        "missing_count": len(missing),
    }
    return render(request, "collection/images.html", context)


@require_safe
def images_missing(request: HttpRequest, slug: str) -> HttpResponse:
    """The missing pictures, to download: what to fetch from where."""
    found = campaign_for(request.user, slug)
    rows = images.missing(get_object_or_404(Collection, campaigns=found))
    lines = [f"{one.name}\t{one.texts}\t{one.address}\n" for one in rows]
    return attachment("".join(["file\ttexts\taddress\n", *lines]), f"{slug}.missing-pictures.tsv")


@require_safe
def post_image(request: HttpRequest, slug: str, name: str) -> FileResponse:
    """A picture that the organizers stored; what is not a picture by its first bytes is not served."""
    campaign = campaign_for(request.user, slug, EVERYONE)
    if campaign.collection is None or not images.NAME.fullmatch(name):
        raise Http404
    file = images.folder(campaign.collection) / name
    if not isfile(file):  # False, too, for a name that no file can have
        raise Http404
    with file.open("rb") as start:
        kind = images.image_type(start.read(64))
    if kind is None:
        raise Http404
    return FileResponse(file.open("rb"), content_type=kind)


urlpatterns = [
    path("c/<slug:slug>/collection/images/", collection_images, name="collection_images"),
    path("c/<slug:slug>/collection/images/missing/", images_missing, name="images_missing"),
    path("c/<slug:slug>/images/<str:name>", post_image, name="post_image"),
]
