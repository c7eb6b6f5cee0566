"""The runs of a campaign, and fusing them; for organizers only."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers

from assess.api.doors import Door, KeyField, NameField, changes, field_of, lists, reads, rows, sends, starts
from assess.ir.runs.fusion.methods import METHODS, OPTIONS
from assess.models import Run
from assess.services import job_kinds
from assess.services.common.workspace import keep_file
from assess.services.runs import fusion
from assess.services.runs import runs as service
from assess.services.runs.metadata import CHOICES, described_run

RunSerializer = rows(
    Run,
    "id name team kind method data answers pool_role format order file_name sha256 lines topics coverage notes "
    "provenance created",
)


class FusionOptionsSerializer(serializers.Serializer[Any]):
    """The options of methods; each takes only its own, and has defaults for them."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: field_of(option) for name, option in OPTIONS.items()}

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(set(data) - set(self.fields))):
            raise serializers.ValidationError({name: ["There is no such option."] for name in unknown})
        return super().to_internal_value(data)


@lists("runs/", RunSerializer, name="name", team="team", kind="kind", pool_role="pool_role")
def runs(door: Door) -> Any:
    """The runs of a campaign."""
    return door.campaign.runs.all()


@starts(
    "runs/",
    shape=sends(
        "RunFile",
        file=serializers.FileField(),
        team=NameField(required=False),
        name=NameField(required=False),
        **{name: serializers.ChoiceField(choices=kind.choices, required=False) for name, kind in CHOICES.items()},
    ),
)
def run_import(door: Door, file: Any, **about: str) -> Any:
    """Imports a run file. What is not sent is as its head says (``ir_metadata``), or has its default; the name is then
    the tag in the file. Each run needs a ``team``. ``order``: the column that sets the ranking."""
    meta = described_run(file, file.name, about)
    service.refuse_pooled_if_frozen(door.campaign, [meta.role])
    return job_kinds.import_runs, {"files": [{"path": keep_file(file), "meta": meta._asdict()}]}


@reads("runs/<int:pk>/", RunSerializer)
def run(door: Door, pk: int) -> Run:
    """A run."""
    return get_object_or_404(door.campaign.runs.select_related("campaign"), pk=pk)


@changes("runs/<int:pk>/", method="delete", find=run)
def run_delete(door: Door, found: Run) -> Any:
    """Removes a run that was neither pooled nor scored."""
    return service.delete_run(found, door.person)


@starts(
    "runs/fuse/",
    shape=sends(
        "Fusion",
        "A run to make of several: their numbers in order, and for regression that of a ``release``.",
        name=NameField(),
        method=serializers.ChoiceField(choices=list(METHODS)),
        runs=serializers.ListField(child=KeyField()),
        options=FusionOptionsSerializer(default=dict),
        release=serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=2**31 - 1),
    ),
)
def fuse(door: Door, **wanted: Any) -> Any:
    """Fuses runs of a campaign, in a job whose result is the ``run``."""
    asked = fusion.Fusion(**wanted)
    fusion.check_fusion(door.campaign, asked)
    return job_kinds.fuse_runs, asked._asdict()
