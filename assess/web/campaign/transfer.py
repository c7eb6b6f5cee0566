"""Exporting a campaign as a file, and importing one."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.db import transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.formats import campaign_file
from assess.models import Campaign, Job
from assess.services import exporting, importing
from assess.services.common.access import campaign_for, creator
from assess.services.common.uploads import store
from assess.web.common.forms import NameField, errors_on, render_form
from assess.web.common.job_start import start
from assess.web.common.responses import unfinished

LATEST = 5
"""How many failed imports are listed."""


class ExportForm(forms.Form):
    """How people leave."""

    people = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=[
            ("names", "With user names and names"),
            ("pseudonyms", "With the pseudonyms of other exports, and without the history of who did what"),
        ],
        initial="names",
        help_text="Comments, questions and rulings are exported as they were written.",
    )
    emails = forms.BooleanField(required=False, label="With e-mail addresses")

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("people") == "pseudonyms" and self.cleaned_data.get("emails"):
            self.add_error("emails", "Addresses identify people: choose user names, or leave addresses out.")
        return self.cleaned_data


def campaign_export(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes the campaign's file, and offers the one that was made last."""
    campaign = campaign_for(request.user, slug)
    form = ExportForm(request.POST or None)
    if form.is_valid():
        data = form.cleaned_data
        return start(request, campaign, Job.Kind.EXPORT, names=data["people"] == "names", emails=data["emails"])
    running = unfinished(campaign, Job.Kind.EXPORT)
    context = {"campaign": campaign, "section": "campaign", "form": form, "running": running, "made": last_of(campaign)}
    return render_form(request, "campaign/export.html", context)


def last_of(campaign: Campaign) -> dict[str, Any] | None:
    """Size, time and content of the campaign file that was made last; None if there is none."""
    file = exporting.path_of(campaign)
    try:
        with file.open("rb") as source:
            about = campaign_file.about(source, file.name)
        stored = file.stat()
    except FileNotFoundError:
        return None
    return {**about, "bytes": stored.st_size, "at": datetime.fromtimestamp(stored.st_mtime, UTC)}


@require_safe
def campaign_export_file(request: HttpRequest, slug: str) -> FileResponse:
    """Download the campaign file."""
    campaign = campaign_for(request.user, slug)
    try:
        file = exporting.path_of(campaign).open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    return FileResponse(file, as_attachment=True, filename=f"{campaign.slug}.campaign.zip")


class CampaignFileForm(forms.Form):
    TAKES_GIGABYTES = True
    file = forms.FileField(label="Campaign file", help_text="A zip file that “Export campaign” of Assess has made.")
    name = NameField(
        required=False,
        help_text="If empty, the name in the file. If you have a campaign of that name, the date is added.",
    )


def campaign_import(request: HttpRequest) -> HttpResponse:
    """Staff users make a campaign from a campaign file and become its organizers."""
    user = creator(request.user)
    form = CampaignFileForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        with errors_on(form, "file"), transaction.atomic():
            campaign = importing.begin(file, file.name, user, form.cleaned_data["name"])
            return start(request, campaign, Job.Kind.IMPORT, path=store(file), name=file.name)
    failed = Job.objects.filter(campaign=None, created_by=user)[:LATEST]
    return render_form(request, "campaign/import.html", {"form": form, "failed": failed})


urlpatterns = [
    path("campaigns/import/", campaign_import, name="campaign_import"),
    path("c/<slug:slug>/campaign-file/", campaign_export, name="campaign_export"),
    path("c/<slug:slug>/campaign-file/download/", campaign_export_file, name="campaign_export_file"),
]
