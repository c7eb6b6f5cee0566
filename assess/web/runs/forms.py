"""Forms to import and edit runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from assess.models import Run
from assess.services.common.errors import Refused
from assess.services.runs import runs
from assess.services.runs.metadata import read_metadata
from assess.web.common.forms import NameField, SeveralFilesField, SeveralFilesInput, errors_on


class RunForm(forms.Form):
    """The metadata of a run."""

    team = NameField()
    name = NameField(required=False, help_text="If empty, the tag in the file.")
    kind = forms.ChoiceField(choices=Run.Kind.choices)
    method = forms.ChoiceField(choices=Run.Method.choices)
    data = forms.ChoiceField(choices=Run.Data.choices, initial=Run.Data.BOTH, label="Data used")  # type: ignore[assignment]
    pool_role = forms.ChoiceField(choices=Run.PoolRole.choices, help_text="How deep the run is pooled.")

    def meta(self, file: str) -> runs.RunMeta:
        fields = {name: self.cleaned_data[name] for name in runs.RunMeta._fields if name in self.cleaned_data}
        return runs.RunMeta(file=file, **fields)


class EditRunForm(RunForm):
    """A stored run has a name. If the pool is ``frozen``, the pool role cannot be changed."""

    name = NameField()

    def __init__(self, *args: Any, frozen: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if frozen:
            self.fields["pool_role"].disabled = True
            self.fields["pool_role"].help_text = "Cannot be changed because the pool is frozen."


class UploadRunsForm(RunForm):
    """Run files with a table of their metadata, or with fields that apply to all of them."""

    not_uploaded: Sequence[str] = ()
    """Files that are in the table only."""
    use_required_attribute = False  # Otherwise browsers require a team even if a table has it.

    run_files = SeveralFilesField(widget=SeveralFilesInput(attrs={"required": True}))
    team = NameField(error_messages={"required": "Enter the team, or choose a table of runs that has it."})
    pool_role = forms.ChoiceField(
        required=False,
        choices=[("", "By kind"), *Run.PoolRole.choices],
        help_text="How deep the run is pooled. By kind: primary runs and baselines to the primary depth, alternate "
        "runs to the alternate depth.",
    )
    table = forms.FileField(
        required=False,
        label="Table of runs",
        help_text="Tab-separated, a line for each file; columns file, team, then any of name, kind, method, data, "
        "pool_role, order, format. If you choose a table, leave the fields below empty.",
    )
    order = forms.ChoiceField(choices=Run.Order.choices, help_text="Which column sets the ranking.")
    format = forms.ChoiceField(
        required=False, choices=[("", "Detect from the columns"), *Run.Format.choices], label="File format"
    )
    field_order = ("run_files", "table", "team", "name")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.metas: list[runs.RunMeta] = []
        if self.files.get("table"):
            for name in set(self.fields) - {"run_files", "table"}:
                self.fields[name].required = False

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            if table := self.cleaned_data.get("table"):
                with errors_on(self, "table"):
                    self.metas = self.from_table(read_metadata(table, table.name))
            else:
                self.metas = self.from_fields()
        return self.cleaned_data

    def from_table(self, table: dict[str, runs.RunMeta]) -> list[runs.RunMeta]:
        names = [file.name for file in self.cleaned_data["run_files"]]
        if absent := [name for name in names if name not in table]:
            raise Refused(f"The table has no line for {', '.join(absent)}.")
        self.not_uploaded = sorted(table.keys() - set(names))
        return [table[name]._replace(file=name) for name in names]

    def from_fields(self) -> list[runs.RunMeta]:
        files = self.cleaned_data["run_files"]
        if len(files) > 1 and self.cleaned_data["name"]:
            self.add_error("name", "Several files cannot share a name. Leave it empty to use the tags in the files.")
        return [self.meta(file.name) for file in files]
