"""The form of a campaign's settings: name, edition, seed and protocol, with a table of grades and one of outcomes."""

from collections.abc import Mapping
from typing import Any

from django import forms

from assess.ir.campaign.protocol import OPTIONS
from assess.ir.campaign.scale import LONGEST_WORD, Words
from assess.ir.common.options import Option
from assess.models import Campaign
from assess.services.campaign.campaigns import LONGEST_EDITION, checked_rules, settings_version
from assess.web.common.forms import ListField, NameField, changed_labels, form_field

SPARE_ROWS = 3
"""Empty rows below each table."""


class TextBox(forms.CharField):
    """A text of some lines, which browsers end in their own way."""

    widget = forms.Textarea(attrs={"rows": 2})

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class GradeForm(forms.Form):
    value = forms.IntegerField()
    name = forms.CharField(max_length=LONGEST_WORD)
    definition = TextBox(required=False)
    key = forms.CharField(required=False, max_length=1)
    short = forms.CharField(required=False, max_length=LONGEST_WORD)


class OutcomeForm(forms.Form):
    word = forms.CharField(label="Word in files", max_length=20)
    name = forms.CharField(max_length=LONGEST_WORD)
    meaning = TextBox(required=False)
    needs_comment = forms.BooleanField(label="Needs a comment", required=False, initial=True)
    reasons = ListField(label="Usual reasons, one per line", rows=3)
    qrels = forms.TypedChoiceField(
        label="In qrels", required=False, coerce=int, empty_value=None, choices=[("", "Unjudged"), (0, "Grade 0")]
    )


class TableFormSet(forms.BaseFormSet):  # type: ignore[type-arg]
    @property
    def rows(self) -> list[dict[str, Any]]:
        """What the rows say that are neither empty nor to be removed."""
        kept = [form.cleaned_data for form in self.forms if form.cleaned_data and not form.cleaned_data["DELETE"]]
        return [{name: value for name, value in row.items() if name != "DELETE"} for row in kept]


WORDS = {f"word_{word}": word for word in ("document", "documents", "unit", "units")}
"""The fields for words of the protocol."""
TABLES = {
    name: forms.formset_factory(row, TableFormSet, extra=SPARE_ROWS, can_delete=True)
    for name, row in (("grades", GradeForm), ("outcomes", OutcomeForm))
}


class SettingsForm(forms.Form):
    """With ``frozen`` seed and protocol are read-only. ``seen``: the version that the page showed."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    name = NameField()
    edition = forms.CharField(max_length=LONGEST_EDITION, help_text="The lab and its year, as releases name it.")
    seed = forms.IntegerField(min_value=0, max_value=2**63 - 1, help_text="Decides ties and random orders.")
    question = TextBox(required=False, help_text="What assessors are asked about each document.")
    word_document = NameField(required=False, label="Word for a document", help_text="Such as passage; for all pages.")
    word_documents = NameField(required=False, label="Word for documents", help_text="Empty: the same word with an s.")
    word_unit = NameField(required=False, label="Word for a qrels line", help_text="Empty: the word for a document.")
    word_units = NameField(required=False, label="Word for several lines", help_text="Empty: the same word with an s.")
    topic_fields = ListField(label="Fields of topics to show", help_text="Between commas, in this order. Empty: all.")
    folded_fields = ListField(label="Folded fields", help_text="Those of them that open by a click.")
    guidelines = ListField(rows=6, help_text="One per line. Assessors see them with the definitions of the grades.")
    measures = ListField(
        label="Official measures",
        help_text="Between commas, the first one first: nDCG@10, P@5, judged@10. Empty: those of the application.",
    )

    GROUPS = {
        "about": ("name", "edition", "seed"),
        "scale": ("level",),
        "desk": ("question", "guidelines", *WORDS, "topic_fields", "folded_fields"),
        "results": ("min_relevant", "official_grade", "measures"),
    }
    """The groups of the page; all other fields are those of the pool."""
    ONLY_FOR = {"written": "answers", **dict.fromkeys(("unit", "max_instances", "instance_rule"), "formulas")}
    """The options that apply to one task only."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, campaign: Campaign, frozen: bool) -> None:
        rules = campaign.rules
        about = {"name": campaign.name, "edition": campaign.edition, "seed": campaign.seed}
        initial = {**rules.to_dict(), **given_words(rules.words), **about, "seen": settings_version(campaign)}
        super().__init__(data, initial=initial)
        self.campaign = campaign
        applicable = {name: each for name, each in OPTIONS.items() if self.ONLY_FOR.get(name, rules.task) == rules.task}
        if not rules.kind.has_threads:  # of mathematics, whose labs they name
            applicable = {name: without_labs(each) for name, each in applicable.items()}
        self.fields |= {name: form_field(each, required=True) for name, each in applicable.items()}
        self.tables: dict[str, Any] = {
            name: table(None if frozen else data, prefix=name, initial=initial[name]) for name, table in TABLES.items()
        }
        if frozen:
            self.disable()

    def disable(self) -> None:
        for name, field in self.fields.items():
            field.disabled = name not in ("name", "edition", "seen")
        for table in self.tables.values():
            table.extra, table.can_delete = 0, False
            for field in (field for row in table for field in row.fields.values()):
                field.disabled = True

    @property
    def groups(self) -> dict[str, list[forms.BoundField]]:
        groups = {name: [self[field] for field in fields] for name, fields in self.GROUPS.items()}
        named = {field for fields in self.GROUPS.values() for field in fields}
        return groups | {"pool": [field for field in self.visible_fields() if field.name not in named]}

    @property
    def rules(self) -> dict[str, Any]:
        """What the form says of the protocol."""
        data = self.cleaned_data
        names = ("question", "topic_fields", "folded_fields", "guidelines", "measures")
        rules = {name: data[name] for name in (*OPTIONS, *names) if name in self.fields}
        if not any(table.is_bound for table in self.tables.values()):
            return rules
        tables = {name: table.rows for name, table in self.tables.items()}
        tables["grades"].sort(key=lambda row: row["value"], reverse=True)
        return {**rules, **tables, "words": {word: data[name] for name, word in WORDS.items()}}

    def clean_question(self) -> str:
        return " ".join(self.cleaned_data["question"].splitlines())

    def clean(self) -> dict[str, Any]:
        """Shows what the protocol refuses at its field or table."""
        wrong = [name for name, table in self.tables.items() if table.is_bound and not table.is_valid()]
        if not self.errors and not wrong:
            try:
                checked_rules(self.campaign.rules.to_dict() | self.rules)
            except ValueError as error:
                name, _, reason = str(error).partition(": ")
                name = name.partition("[")[0]
                if name in self.tables:
                    self.tables[name].non_form_errors().append(reason)
                    wrong.append(name)
                else:
                    self.add_error(name if name in self.fields else None, reason or name)
        for name in wrong:
            self.add_error(None, f"Something is wrong in the table of {name}.")
        return self.cleaned_data

    @property
    def changed(self) -> list[str]:
        """The fields and tables that were changed, as the page names them."""
        return changed_labels(self) + [name.capitalize() for name, table in self.tables.items() if table.has_changed()]


def given_words(words: Words) -> dict[str, str]:
    """Those that the others don't say."""
    plain = Words.completed({"document": words.document, "unit": words.unit})
    said = {"documents": plain.documents, "unit": words.document, "units": plain.units}
    given = {word: getattr(words, word) for word in WORDS.values()}
    return {name: "" if given[word] == said.get(word) else given[word] for name, word in WORDS.items()}


def without_labs(option: Option) -> Option:
    """An option whose labels don't name the labs that had these rules."""
    return option._replace(choices={value: label.partition(" (")[0] for value, label in option.choices.items()})
