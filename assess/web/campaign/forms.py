"""The forms of campaigns, topics and members."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile

from assess.ir.campaign.presets import PRESETS, groups_of_presets
from assess.ir.campaign.protocol import Protocol
from assess.ir.common.problems import BadInput, refuse
from assess.models import Collection, Member
from assess.services.campaign.campaigns import LONGEST_EDITION, chosen_edition, collections_of, read_lab_file
from assess.web.common.forms import NameField, WarnedForm
from assess.web.common.responses import errors_on


class CollectionChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A collection, shown with the organizer's campaigns that use it."""

    def label_from_instance(self, obj: Any) -> str:
        names = ", ".join(campaign.name for campaign in obj.campaigns.all())
        return f"{obj.name} ({names})"


LONGEST_LAB = 1_000_000
"""The bytes of a lab's file."""


def text_of(file: UploadedFile[Any]) -> str:
    """Raises BadInput for a file that is not UTF-8."""
    try:
        return bytes(file.read()).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(str(file.name), "is not UTF-8 text; save it as UTF-8") from error


class LabFile(NamedTuple):
    """An uploaded file of a lab. ``begins_with``: what its table [campaign] names."""

    name: str
    rules: Protocol
    begins_with: dict[str, Any]


class LabField(forms.FileField):
    """A lab's TOML file as a `LabFile`."""

    def clean(self, data: Any, initial: Any = None) -> LabFile | None:
        file = super().clean(data, initial)
        if not file:
            return None
        try:
            if file.size > LONGEST_LAB:
                raise refuse(file.name, "has more than 1 MB: choose the TOML file of a lab")
            return LabFile(file.name, *read_lab_file(text_of(file), file.name))
        except BadInput as error:
            raise forms.ValidationError(str(error).splitlines()) from error


class LabForm(forms.Form):
    file = LabField(label="TOML file", help_text="Replaces all rules of the protocol; name, edition and seed stay.")


class EditionField(forms.CharField):
    """Not called optional: a file can name the edition, a preset cannot."""

    is_asked = True


def preset_label(name: str) -> str:
    """A preset in one line: “ARQMath-2 Task 1: answers, pooled to depth 45 (alternate runs 15)”, “Passages: passages in
    4 grades, pooled to depth 20”."""
    rules = PRESETS[name]
    task = f" Task {name[-1]}" if name.startswith("arqmath") else ""
    unit = rules.words.units + ("" if task else f" in {len(rules.grades)} grades")
    if rules.kind.has_formulas:
        each = f"at most {rules.max_instances} instances each"
        unit += f", {each}" if rules.has_visual_ids else ", each instance separately"
    unit += " and written answers (Task 3)" if rules.written else ""
    return f"{rules.edition or name.replace('-', ', ').capitalize()}{task}: {unit}, {pooling_rule(rules)}"


def pooling_rule(rules: Protocol) -> str:
    if rules.pool_rule == "rank_by_rank":
        return f"pooled one rank at a time until a topic has {rules.pool_size}"
    if rules.pool_rule == "votes":
        return f"the {rules.pool_size} with the most votes (our rule; the lab published none)"
    if rules.primary_depth == rules.alternate_depth:
        return f"pooled to depth {rules.primary_depth}"
    return f"pooled to depth {rules.primary_depth} (alternate runs {rules.alternate_depth})"


class NewCampaignForm(forms.Form):
    name = NameField(help_text="For example “Web course 2026”.")
    edition = EditionField(
        required=False,
        max_length=LONGEST_EDITION,
        help_text="The lab and its year, as releases will name it. Needed, unless your file names it.",
    )
    preset = forms.ChoiceField(
        required=False,
        choices=[(lab, [(name, preset_label(name)) for name in names]) for lab, names in groups_of_presets().items()],
        widget=forms.RadioSelect,
        help_text="The rules to start with. You can change them until the pool is frozen.",
    )
    file = LabField(required=False, label="Or the TOML file of your lab", help_text="Counts instead of a preset.")
    share = CollectionChoice(
        Collection.objects.none(),
        label="Collection",
        required=False,
        empty_label="New collection, to be imported later",
        help_text="Campaigns that search the same documents can share them: import them once.",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = collections_of(user)
        self.fields["share"].queryset = others  # type: ignore[attr-defined]
        if not others.exists():
            self.fields["share"].widget = forms.HiddenInput()

    def clean(self) -> dict[str, Any]:
        """Adds ``rules``, and the edition of a file if none was given. That of a preset is another lab's."""
        data = self.cleaned_data
        if self.errors:
            return data
        preset, file = data["preset"], data["file"]
        if not preset and not file:
            self.add_error("preset", "Choose a preset or a file.")
            return data
        data["rules"] = file.rules if file else PRESETS[preset]
        with errors_on(self, "edition"):
            data["edition"] = chosen_edition(data["edition"], file.rules if file else None)
        return data

    @property
    def origin(self) -> str:
        """Where the rules come from, in words."""
        file = self.cleaned_data["file"]
        return file.name if file else preset_label(self.cleaned_data["preset"])


class NoticeForm(forms.Form):
    notice = forms.CharField(
        required=False,
        max_length=2000,
        label="What all members should know",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Stands on their start page until you write something else or nothing.",
    )


class InviteForm(forms.Form):
    people = forms.CharField(
        required=False,
        label="Whom to invite",
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": "ada, Ada Lovelace, ada@example.org"}),
        help_text="A user name on each line; for new people also name and e-mail, separated by commas. A role in the"
        " fourth place overrides the one below.",
    )
    file = forms.FileField(required=False, label="Or a file with such lines")
    role = forms.ChoiceField(
        choices=Member.Role.choices,
        initial=Member.Role.ASSESSOR,
        help_text="Assessors and experts judge; organizers see runs, votes and all judgments.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if not self.errors and not cleaned.get("people") and not cleaned.get("file"):
            self.add_error("people", "Write at least one user name, or choose a file.")
        return cleaned

    def source(self) -> tuple[str, str]:
        """The lines, and what to call them in messages. Raises BadInput for a file that is not UTF-8."""
        file = self.cleaned_data["file"]
        if not file:
            return self.cleaned_data["people"], "line"
        return text_of(file), file.name


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Member.Role.choices)


class InterestsForm(forms.Form):
    team = NameField(required=False)
    own_topics = forms.CharField(required=False, max_length=2000)

    def clean_own_topics(self) -> list[str]:
        return sorted(set(self.cleaned_data["own_topics"].replace(",", " ").split()))


class TopicSheetForm(forms.Form):
    file = forms.FileField(
        label="Topic sheet (CSV or TSV)",
        help_text="A header with Topic and any of Category, Difficulty and Dependency. Scores can be broken down by "
        "other columns, too. Replaces what these topics had.",
    )


class TopicsForm(WarnedForm):
    file = forms.FileField(
        label="Topics file", help_text="As published by the lab: XML, TREC, TSV or JSON lines. Existing topics stay."
    )
