"""The pool: its documents with their hashes, building, freezing and extending it; judgments made elsewhere."""

from dataclasses import asdict
from typing import Any

from django.db.models import Count
from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework import serializers

from assess.api.doors import Door, KeyField, LargePages, changes, field_of, lists, reads, rows, sends, starts
from assess.ir.common.rows import LONGEST_ID
from assess.models import Instance, JudgmentSource, Pool, Run
from assess.services import job_kinds
from assess.services.common.errors import Refused
from assess.services.common.workspace import keep_file
from assess.services.pool import extension, freezing, pools
from assess.services.pool import judgment_sources as service

PoolSerializer = rows(
    Pool,
    "version protocol seed runs source created frozen extended reason missing left_out history "
    "frozen_by=frozen_by.username",
    "What the pool was made from, how many ``units`` and ``documents`` it has, the ids of documents without a text "
    "(``missing``), and its earlier versions (``history``).",
    units=int,
    documents=int,
)
PoolDocumentSerializer = rows(
    Instance,
    "id kind votes runs content_hash version topic=entry.topic.topic_id unit=entry.unit_id document=doc_id",
    "``content_hash``: of what is shown for the document, empty before the freeze.",
    "PoolDocument",
)
JudgmentSourceSerializer = rows(
    JudgmentSource,
    "id name kind items format file_name sha256 note counts notes created imported_by=imported_by.username",
    "Judgments made elsewhere; ``counts`` has lines, items, topics, and lines by grade and labeller.",
)
POOLED = [each for each in Run.PoolRole.choices if each[0] != Run.PoolRole.NONE]
LateRunSerializer = sends("LateRun", run=KeyField(), role=serializers.ChoiceField(choices=POOLED))


def current_pool(door: Door) -> Pool:
    if pool := door.campaign.current_pool():
        return pool
    raise Http404("There is no pool yet.")


@reads("pool/", PoolSerializer)
def pool(door: Door) -> Pool:
    """The current pool."""
    counts = {"units": Count("entries", distinct=True), "documents": Count("entries__instances")}
    return Pool.objects.annotate(**counts).get(pk=current_pool(door).pk)


@changes("pool/", method="delete", find=current_pool)
def pool_discard(door: Door, _: Pool) -> Any:
    """Discards a pool that is not frozen."""
    return pools.discard_pool(door.campaign, door.person)


@lists("pool/documents/", PoolDocumentSerializer, pages=LargePages, topic="entry__topic__topic_id")
def pool_documents(door: Door) -> Any:
    """The documents of the current pool by topic, each with its unit and hash."""
    found = Instance.objects.filter(entry__pool=current_pool(door)).select_related("entry__topic")
    return found.order_by("entry__topic__number", "entry__topic__topic_id", "entry__unit_id", "doc_id")


@starts("pool/build/")
def pool_build(door: Door) -> Any:
    """Builds the pool from the runs, or builds it again."""
    return job_kinds.build_pool, {}


@starts("pool/freeze/", find=current_pool, anyway=serializers.BooleanField(default=False))
def pool_freeze(door: Door, found: Pool, anyway: bool) -> Any:
    """Freezes the pool: from then on it can only be extended. ``anyway``: also with documents that have no text."""
    warning = freezing.freeze_warning(found)
    if warning and not anyway:
        raise Refused(f"{warning} To freeze it as it is, send anyway=true.")
    return job_kinds.freeze_pool, {"pool": found.pk}


@starts(
    "pool/extend/",
    find=current_pool,
    runs=serializers.ListField(child=LateRunSerializer(), default=list),
    depths=serializers.DictField(child=serializers.IntegerField(min_value=0), default=dict),
    reason=serializers.CharField(allow_blank=True, default="", max_length=500),
)
def pool_extend(door: Door, found: Pool, runs: list[dict[str, Any]], depths: dict[str, int], reason: str) -> Any:
    """Adds late runs with their roles, later topics, and more depth (``{"primary_depth": 20}``) to a frozen pool.
    Judgments stay."""
    roles = {each["run"]: each["role"] for each in runs}
    depths = {name: getattr(found.rules, name) for name in found.rules.sizes} | depths
    change = extension.Extension(roles, depths, reason)
    extension.extended_rules(found, change)
    return job_kinds.extend_pool, {"pool": found.pk, **change._asdict()}


@lists("judgment-sources/", JudgmentSourceSerializer)
def judgment_sources(door: Door) -> Any:
    """The sources of judgments of a campaign."""
    return door.campaign.judgment_sources.select_related("imported_by")


@starts(
    "judgment-sources/",
    file=serializers.FileField(max_length=LONGEST_ID),
    **{name: field_of(option) for name, option in service.OPTIONS.items()},
    labels=serializers.JSONField(default=dict),
)
def source_import(door: Door, file: Any, labels: Any, **about: Any) -> Any:
    """Imports a file with judgments; columns are detected if empty. ``labels``: what labels mean that the scale does
    not name. The campaign remembers it."""
    meta = service.describe_source(door.campaign, file.name, about)
    service.remember_labels(door.campaign, labels, door.person)
    return job_kinds.import_source, {"path": keep_file(file), "meta": asdict(meta)}


@reads("judgment-sources/<int:pk>/", JudgmentSourceSerializer)
def judgment_source(door: Door, pk: int) -> JudgmentSource:
    """A source with its counts."""
    return get_object_or_404(door.campaign.judgment_sources.select_related("imported_by"), pk=pk)
