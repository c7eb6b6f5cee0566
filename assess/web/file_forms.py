"""The forms with which files come in: topics, collection, runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from assess.models import Collection, Run
from assess.services import collections, runs
from assess.services.access import Person
from assess.services.errors import Refused
from assess.services.run_metadata import read_metadata
from assess.web.forms import CollectionChoice, collections_of, told
from assess.web.uploads import server_file


class SeveralFilesInput(forms.FileInput):
    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """A list of uploaded files."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        one = super().clean
        return [one(file, initial) for file in data or [None]]


class TopicsForm(forms.Form):
    file = forms.FileField(
        label="Topics file (XML)",
        help_text="As the labs publish it, with or without Formula_Id; the topics that are here already stay.",
    )


class ChooseCollectionForm(forms.Form):
    """A new collection, or one that another campaign has already."""

    name = forms.CharField(max_length=120, required=False, label="Name of a new collection")
    share = CollectionChoice(
        Collection.objects.none(), required=False, empty_label="Choose a collection …", label="Or one that is here"
    )

    def __init__(self, *args: Any, user: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = collections_of(user)
        self.fields["share"].queryset = others  # type: ignore[attr-defined]
        if not others.exists():
            del self.fields["share"]
            self.fields["name"].required = True

    def clean(self) -> dict[str, Any]:
        name, share = self.cleaned_data.get("name"), self.cleaned_data.get("share")
        if not self.errors and bool(name) == bool(share):
            raise forms.ValidationError("Name a new collection or choose one that is here, one of the two.")
        if name and Collection.objects.filter(name=name).exists():
            self.add_error("name", "There is a collection of this name. Choose another name.")
        return self.cleaned_data


HELP = {
    "posts": "Questions and answers. Needed first, unless only formulas are searched.",
    "comments": "Comments below posts, shown in threads.",
    "links": "Related and duplicate questions, shown in threads.",
    "users": "Names of authors, for the posts and comments imported with it.",
    "votes": "Scores, for the posts imported with it.",
    "formulas": "Formula ids with their posts and visual ids: V1, V2 or V3.",
}


class CollectionForm(forms.Form):
    """Files of a collection, uploaded or, where the server has an import folder, named by their path in it."""

    kinds = collections.KINDS
    help = HELP

    def __init__(self, *args: Any, collection: Collection | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.collection = collection
        for kind, label in self.kinds.items():
            self.fields[kind] = forms.FileField(label=label, required=False, help_text=self.help[kind])
            if settings.IMPORT_DIR:
                self.fields[f"{kind}_path"] = forms.CharField(
                    required=False, label="or its path on the server", max_length=500
                )

    def clean(self) -> dict[str, Any]:
        for kind in self.kinds:
            if text := self.cleaned_data.get(f"{kind}_path"):
                self.check_path(kind, text)
        if not self.errors:
            self.check_together()
        return self.cleaned_data

    def check_path(self, kind: str, text: str) -> None:
        try:
            path = server_file(text)
        except forms.ValidationError as error:
            self.add_error(f"{kind}_path", error)
            return
        if self.cleaned_data.get(kind):
            self.add_error(f"{kind}_path", "Upload the file or name its path, not both.")
        self.cleaned_data[f"{kind}_path"] = path

    def check_together(self) -> None:
        given = {kind for kind in self.kinds if self.given(kind)}
        if not given:
            raise forms.ValidationError("Choose at least one file.")
        if not given & {"posts", "formulas"} and not (self.collection and self.collection.has_posts):
            self.add_error("posts", "The first import needs Posts.xml or a formula index.")
        elif given & {"users", "votes"} and not given & {"posts", "comments"}:
            self.add_error("posts", "Names and scores are written into posts as these are read: add Posts.xml too.")

    def given(self, kind: str) -> Any:
        """The uploaded file or the path of a kind, if there is one."""
        return self.cleaned_data.get(kind) or self.cleaned_data.get(f"{kind}_path")


class ImportForm(CollectionForm):
    """The files of a collection that is searched, and its epoch."""

    first_year = forms.IntegerField(required=False, min_value=1990, max_value=2100, label="Posts from the year")
    last_year = forms.IntegerField(
        required=False, min_value=1990, max_value=2100, label="to the year",
        help_text="Posts of Posts.xml written in other years are left out and counted; those without a date stay.",
    )  # fmt: skip

    def check_together(self) -> None:
        super().check_together()
        first, last = self.cleaned_data.get("first_year"), self.cleaned_data.get("last_year")
        if first and last and first > last:
            self.add_error("last_year", "The last year is before the first.")

    def years(self) -> list[int | None]:
        return [self.cleaned_data["first_year"], self.cleaned_data["last_year"]]


class RunForm(forms.Form):
    """What is said about a run."""

    team = forms.CharField(max_length=120)
    name = forms.CharField(max_length=120, required=False, help_text="Empty: the tag in the file.")
    kind = forms.ChoiceField(choices=Run.Kind.choices)
    method = forms.ChoiceField(choices=Run.Method.choices)
    data = forms.ChoiceField(choices=Run.Data.choices, initial=Run.Data.BOTH, label="Data used")  # type: ignore[assignment]
    pool_role = forms.ChoiceField(choices=Run.PoolRole.choices, help_text="How deep it is pooled.")

    def meta(self, file: str) -> runs.RunMeta:
        """The fields as the service takes them, for a file of this name."""
        given = {name: self.cleaned_data[name] for name in runs.RunMeta._fields if name in self.cleaned_data}
        return runs.RunMeta(file=file, **given)


class EditRunForm(RunForm):
    """A stored run has a name. With ``frozen`` its pool role is shown and cannot be changed."""

    name = forms.CharField(max_length=120)

    def __init__(self, *args: Any, frozen: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if frozen:
            self.fields["pool_role"].disabled = True
            self.fields["pool_role"].help_text = "Stays as it is, because the pool is frozen."


class UploadRunsForm(RunForm):
    """Run files, with a table of what is said about each, or with one set of fields for all of them."""

    not_chosen: Sequence[str] = ()
    """Files that the table names besides."""
    use_required_attribute = False  # Else browsers want a team even where a table names it.

    run_files = SeveralFilesField(widget=SeveralFilesInput(attrs={"required": True}))
    team = forms.CharField(
        max_length=120, error_messages={"required": "Name the team, or choose a table of runs that names it."}
    )
    pool_role = forms.ChoiceField(
        required=False,
        choices=[("", "By kind"), *Run.PoolRole.choices],
        help_text="How deep it is pooled. By kind: primary runs and baselines to the primary depth, alternate runs "
        "to the alternate depth.",
    )
    table = forms.FileField(
        required=False,
        label="Table of runs",
        help_text="Tab-separated, a line for each file; columns file, team, then any of name, kind, method, data, "
        "pool_role, order, format. With it, the fields below are not needed.",
    )
    order = forms.ChoiceField(choices=Run.Order.choices, help_text="Which column of the file is believed.")
    format = forms.ChoiceField(
        required=False, choices=[("", "Found from the columns"), *Run.Format.choices], label="File format"
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
                with told(self, "table"):
                    self.metas = self.from_table(read_metadata(table, table.name))
            else:
                self.metas = self.from_fields()
        return self.cleaned_data

    def from_table(self, table: dict[str, runs.RunMeta]) -> list[runs.RunMeta]:
        names = [file.name for file in self.cleaned_data["run_files"]]
        if absent := [name for name in names if name not in table]:
            raise Refused(f"The table has no line for {', '.join(absent)}.")
        self.not_chosen = sorted(table.keys() - set(names))
        return [table[name]._replace(file=name) for name in names]

    def from_fields(self) -> list[runs.RunMeta]:
        files = self.cleaned_data["run_files"]
        if len(files) > 1 and self.cleaned_data["name"]:
            self.add_error(
                "name", "Several files cannot have one name. Leave it empty: each takes the tag in its file."
            )
        return [self.meta(file.name) for file in files]
