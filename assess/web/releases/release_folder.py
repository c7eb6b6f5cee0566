"""Downloading a release as a folder for the field's tools."""

from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from assess.models import Campaign
from assess.services.common.access import ORGANIZER
from assess.services.releases import release_folder
from assess.web.common.doors import campaign_view
from assess.web.common.responses import streamed
from assess.web.releases.releases import release_or_404


@require_safe
@campaign_view(ORGANIZER)
def release_zip(request: HttpRequest, campaign: Campaign, version: int) -> StreamingHttpResponse:
    """Topics, documents, qrels, runs, judgments with their history and a README, as a zip archive for organizers."""
    release = release_or_404(campaign, version)
    return streamed(release_folder.zip_pieces(release), f"{release_folder.folder_name(release)}.zip", "application/zip")


urlpatterns = [path("c/<slug:slug>/releases/<int:version>/folder.zip", release_zip, name="release_folder")]
