"""Downloads of judgments and their history."""

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.urls import path
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from assess.ir.formats.judgment_export import EXPORT_FORMATS, ExportedEvent, ExportedJudgment, write_export
from assess.services.common.access import campaign_for
from assess.services.results import export

TYPES = {"tsv": "text/tab-separated-values", "csv": "text/csv", "jsonl": "application/jsonl"}


@require_safe
def export_file(request: HttpRequest, slug: str, what: str, file_format: str) -> StreamingHttpResponse:
    """All judgments of a campaign, or all changes of them, for its organizers; ``?names=1`` with user names."""
    campaign = campaign_for(request.user, slug)
    names = "names" in request.GET
    if file_format not in EXPORT_FORMATS or what not in ("judgments", "history"):
        raise Http404
    chosen = next(known for known in EXPORT_FORMATS if known == file_format)
    if what == "history":
        lines = write_export(export.exported_events(campaign, names=names), ExportedEvent._fields, chosen)
    else:
        lines = write_export(export.exported_judgments(campaign, names=names), ExportedJudgment._fields, chosen)
    disposition = content_disposition_header(True, f"{slug}.{what}.{file_format}") or "attachment"
    headers = {"Content-Disposition": disposition}
    return StreamingHttpResponse(lines, content_type=f"{TYPES[file_format]}; charset=utf-8", headers=headers)


urlpatterns = [path("c/<slug:slug>/export/<slug:what>.<slug:file_format>", export_file, name="export_file")]
