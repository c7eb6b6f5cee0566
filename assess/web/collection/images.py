"""The pictures in posts: shown to members, added by organizers."""

from os.path import isfile

from django import forms
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from assess.models import Action, Campaign, Collection
from assess.services.collection import images
from assess.services.common.access import EVERYONE, ORGANIZER
from assess.web.common.doors import campaign_action, campaign_page
from assess.web.common.forms import SeveralFilesField
from assess.web.common.responses import errors_on, person, render_form


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
    context = {
        "form": form,
        "names": images.image_names(collection),
        "missing": images.missing_images(collection),
    }
    return render_form(request, "collection/images.html", context)


@campaign_page(EVERYONE)
def post_image(request: HttpRequest, campaign: Campaign, name: str) -> FileResponse:
    """A picture that the organizers uploaded. A file that is not a picture by its first bytes is not served."""
    if campaign.collection is None or not images.NAME.fullmatch(name):
        raise Http404
    file = images.image_folder(campaign.collection) / name
    if not isfile(file):  # also False for names that no file can have
        raise Http404
    with file.open("rb") as source:
        kind = images.image_type(source.read(64))
    if kind is None:
        raise Http404
    return FileResponse(file.open("rb"), content_type=kind)
