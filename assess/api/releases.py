"""Agreement, releases of qrels, evaluations of the runs with them, and exports of the judgments."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response
from rest_framework.serializers import CharField, IntegerField, ListField, ModelSerializer, ValidationError

from assess.api.doors import Door, KeyField, LargePages, field_of, lists, reads, rows, sends, starts
from assess.ir.formats.judgments import EXPORT_FORMATS
from assess.ir.releases.release_options import OPTIONS
from assess.ir.scores.definitions import find_measure
from assess.models import AgreementReport, Evaluation, Qrels, QrelsLine, Score
from assess.services import job_kinds
from assess.services.common.access import STAFF
from assess.services.pool import freezing
from assess.services.releases import derivation, manifest, release_folder
from assess.services.releases import export as service

AgreementSerializer = rows(AgreementReport, "id created judgments pairs assessors topics means visual")
ReleaseSerializer = rows(
    Qrels,
    "version note created counts protocol options sha256 signature verified verification "
    "released_by=released_by.username",
    "``counts``: lines and topics of each unit; ``sha256``: of the manifest; ``verification``: the last one.",
    "Release",
)
QrelsLineSerializer = rows(QrelsLine, "unit topic_id unit_id grade")
MeanSerializer = sends(
    "Mean", "The mean of a measure over ``topics`` topics.", run=str, measure=str, value=float, topics=int
)
EvaluationSerializer = rows(
    Evaluation,
    "id average level gain order measures written_measures created",
    "``not_pooled``: the names of runs that added nothing to the pool.",
    release=IntegerField(source="qrels.version"),
    means=MeanSerializer(many=True),
    not_pooled=ListField(child=CharField(), source="names_not_pooled"),
)
EvaluationSummarySerializer = rows(
    Evaluation,
    "id average level created",
    "An evaluation without its numbers.",
    "EvaluationSummary",
    release=IntegerField(source="qrels.version"),
)
ScoreSerializer = rows(Score, "topic_id measure value run=run.name", "The value of a measure for a run on a topic.")


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


class MeasureField(CharField):
    """The name of a measure of rankings, read as a lab's file is."""

    def to_internal_value(self, data: Any) -> str:
        try:
            measure = find_measure(super().to_internal_value(data))
        except ValueError as error:
            raise ValidationError(str(error)) from error
        if measure.input == "elsewhere":
            raise ValidationError(f"Rankings have no {measure.name}.")
        return measure.name


def evaluations_of(door: Door) -> QuerySet[Evaluation]:
    return Evaluation.objects.of(door.campaign).select_related("qrels")


@lists("evaluations/", EvaluationSummarySerializer)
def evaluations(door: Door) -> Any:
    """The evaluations of a campaign, the latest first."""
    return evaluations_of(door).defer("means")


class EvaluateSerializer(ModelSerializer[Evaluation]):
    release = IntegerField(min_value=0, max_value=2**31 - 1)
    measures = ListField(child=MeasureField(), required=False, max_length=50)

    class Meta:
        model = Evaluation
        fields = ("release", "measures", *Evaluation.OPTIONS)
        extra_kwargs = {"average": {"required": False}, "level": {"min_value": 1, "max_value": 20}}


@starts("evaluations/", shape=EvaluateSerializer)
def evaluate(door: Door, release: int, **options: Any) -> Any:
    """Scores all runs with a release. What is not sent is as the protocol says."""
    released = get_object_or_404(Qrels.objects.of(door.campaign), version=release)
    chosen = {name: value for name, value in options.items() if value}
    return job_kinds.evaluate_runs, {"average": released.pool.rules.kind.average, **chosen, "qrels": released.pk}


@reads("evaluations/<int:pk>/", EvaluationSerializer)
def evaluation(door: Door, pk: int) -> Evaluation:
    """An evaluation with the means of all runs."""
    return get_object_or_404(evaluations_of(door), pk=pk)


@lists(
    "evaluations/<int:pk>/scores/",
    ScoreSerializer,
    pages=LargePages,
    run="run__name",
    topic="topic_id",
    measure="measure",
)
def scores(door: Door, pk: int) -> Any:
    """The value of each topic."""
    return evaluation(door, pk).scores.select_related("run").order_by("pk")


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
