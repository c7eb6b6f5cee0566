"""Agreement, releases of qrels, and exports of the judgments."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response
from rest_framework.serializers import CharField, ListField

from assess.api.doors import Door, KeyField, LargePages, field_of, lists, reads, rows, starts
from assess.ir.formats.judgments import EXPORT_FORMATS
from assess.ir.releases.release_options import OPTIONS
from assess.models import AgreementReport, Qrels, QrelsLine
from assess.services import job_kinds
from assess.services.common.access import STAFF
from assess.services.pool import freezing
from assess.services.releases import derivation, manifest, release_folder
from assess.services.releases import export as service

AgreementSerializer = rows(AgreementReport, "id created judgments pairs assessors topics means visual")
ReleaseSerializer = rows(
    Qrels,
    "version note created counts protocol options sha256 signature verified verification",
    "``counts``: lines and topics of each unit; ``sha256``: of the manifest; ``verification``: the last one.",
    "Release",
    released_by="released_by.username",
)
QrelsLineSerializer = rows(QrelsLine, "unit topic_id unit_id grade")


@reads("agreement/", AgreementSerializer, roles=STAFF)
def agreement(door: Door) -> AgreementReport:
    """The latest report on agreement; 404 before the first one."""
    return get_object_or_404(AgreementReport.objects.filter(pool__campaign=door.campaign)[:1])


@starts("agreement/", sources=ListField(child=KeyField(), default=list))
def agreement_start(door: Door, sources: list[int]) -> Any:
    """Computes agreement. ``sources``: numbers of judgments made elsewhere, which are compared, too."""
    pool = freezing.require_frozen(door.campaign)
    found = list(door.campaign.judgment_sources.filter(pk__in=sources).values_list("pk", flat=True))
    return job_kinds.compute_agreement, {"pool": pool.pk} | ({"sources": found} if found else {})


def releases_of(door: Door) -> QuerySet[Qrels]:
    return Qrels.objects.of(door.campaign).select_related("pool__campaign", "released_by", "visual_map")


def release_of(door: Door, version: int) -> Qrels:
    return get_object_or_404(releases_of(door), version=version)


@lists("releases/", ReleaseSerializer, roles=STAFF)
def releases(door: Door) -> Any:
    """The releases of a campaign, the latest first."""
    return releases_of(door)


@starts(
    "releases/",
    note=CharField(max_length=200, allow_blank=True, default=""),
    **{name: field_of(option) for name, option in OPTIONS.items()},
)
def release_make(door: Door, note: str, **options: Any) -> Any:
    """Releases the qrels. What is not sent is as the protocol says."""
    pool = freezing.require_frozen(door.campaign)
    chosen = derivation.chosen_options(pool, options).to_dict()
    return job_kinds.release_qrels, {"pool": pool.pk, "note": note, "options": chosen}


@reads("releases/<int:version>/", ReleaseSerializer, roles=STAFF)
def release(door: Door, version: int) -> Qrels:
    """A release. Its ``manifest/``, ``lines/`` and ``folder.zip`` are below."""
    return release_of(door, version)


@starts("releases/<int:version>/verify/", find=release_of)
def release_verify(door: Door, found: Qrels) -> Any:
    """Makes the release again from its history, and compares everything."""
    return job_kinds.verify_release, {"qrels": found.pk}


@lists(
    "releases/<int:version>/lines/", QrelsLineSerializer, roles=STAFF, pages=LargePages, unit="unit", topic="topic_id"
)
def release_lines(door: Door, version: int) -> Any:
    """The lines of a release, page by page, sorted by unit, topic and id."""
    return release_of(door, version).lines.order_by("unit", "topic_id", "unit_id")


@reads("releases/<int:version>/manifest/", OpenApiTypes.OBJECT, roles=STAFF)
def release_manifest(door: Door, version: int) -> Response:
    """What a release was made from, with the hashes that it is checked by; assessors have the pseudonyms of exports."""
    return Response(manifest.provenance_of(release_of(door, version)))


@reads("releases/<int:version>/folder.zip", OpenApiTypes.BINARY)
def release_folder_zip(door: Door, version: int) -> StreamingHttpResponse:
    """Topics, documents, qrels, runs and judgments in the field's formats, as a zip archive."""
    pieces = release_folder.zip_pieces(release_of(door, version))
    return StreamingHttpResponse(pieces, content_type="application/zip")


@reads("exports/", OpenApiTypes.OBJECT)
def exports(door: Door) -> Response:
    """The addresses of the exports of all judgments, by kind and format."""

    def address(kind: str, file_format: str) -> str:
        return door.request.build_absolute_uri(reverse("api-export", args=[door.campaign.slug, kind, file_format]))

    return Response({kind: {each: address(kind, each) for each in EXPORT_FORMATS} for kind in service.EXPORTS})


@reads(
    "exports/<slug:kind>.<slug:file_format>",
    OpenApiTypes.STR,
    schema={"parameters": [OpenApiParameter("names", OpenApiTypes.BOOL)]},
)
def export(door: Door, kind: str, file_format: Any) -> StreamingHttpResponse:
    """An export, streamed; with pseudonyms, unless ``?names=1``."""
    if kind not in service.EXPORTS or file_format not in EXPORT_FORMATS:
        raise Http404
    names = door.request.query_params.get("names") in ("1", "true")
    pieces = service.export_chunks(door.campaign, kind, file_format, names=names)
    return StreamingHttpResponse(pieces, content_type="text/plain; charset=utf-8")
