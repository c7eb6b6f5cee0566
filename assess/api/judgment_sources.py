"""Judgments made elsewhere: list, read and import; for organizers only."""

from dataclasses import asdict
from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework.serializers import FileField, JSONField

from assess.api.doors import Door, field_of, lists, reads, rows, starts
from assess.ir.common.rows import LONGEST_ID
from assess.models import JudgmentSource
from assess.services import job_kinds
from assess.services.common.workspace import keep_file
from assess.services.pool import judgment_sources as service

JudgmentSourceSerializer = rows(
    JudgmentSource,
    "id name kind items format file_name sha256 note counts notes created",
    "Judgments made elsewhere; ``counts`` has lines, items, topics, and lines by grade and labeller.",
    imported_by="imported_by.username",
)


@lists("judgment-sources/", JudgmentSourceSerializer)
def judgment_sources(door: Door) -> Any:
    """The sources of judgments of a campaign."""
    return door.campaign.judgment_sources.select_related("imported_by")


@starts(
    "judgment-sources/",
    file=FileField(max_length=LONGEST_ID),
    **{name: field_of(option) for name, option in service.OPTIONS.items()},
    labels=JSONField(required=False, default=dict),
)
def source_import(door: Door, file: Any, labels: Any, **about: Any) -> Any:
    """Imports a file with judgments. ``format`` is detected if empty, and so are the columns. ``labels``: what labels
    mean that the scale does not name; the campaign remembers it."""
    meta = service.describe_source(door.campaign, file.name, about)
    service.remember_labels(door.campaign, labels, door.person)
    return job_kinds.import_source, {"path": keep_file(file), "meta": asdict(meta)}


@reads("judgment-sources/<int:pk>/", JudgmentSourceSerializer)
def judgment_source(door: Door, pk: int) -> JudgmentSource:
    """A source with its counts."""
    return get_object_or_404(door.campaign.judgment_sources.select_related("imported_by"), pk=pk)
