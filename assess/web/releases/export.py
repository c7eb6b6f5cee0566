"""Downloads of judgments, their history and training data."""

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.formats.judgment_export import ExportFormat
from assess.models import Campaign
from assess.services.common.access import ORGANIZER
from assess.services.releases import export
from assess.web.common.doors import campaign_view
from assess.web.common.responses import streamed

TYPES: dict[ExportFormat, str] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


@require_safe
@campaign_view(ORGANIZER)
def export_file(
    request: HttpRequest, campaign: Campaign, kind: str, file_format: ExportFormat
) -> StreamingHttpResponse:
    """One of the exports of a campaign, for its organizers; ``?names=1`` with user names."""
    if kind not in export.EXPORTS or file_format not in TYPES:
        raise Http404
    pieces = export.export_chunks(campaign, kind, file_format, names="names" in request.GET)
    return streamed(pieces, f"{campaign.slug}.{kind}.{file_format}", TYPES[file_format])


urlpatterns = [path("c/<slug:slug>/export/<slug:kind>.<slug:file_format>", export_file, name="export_file")]
