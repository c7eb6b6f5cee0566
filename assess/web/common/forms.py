"""Forms and fields of several rooms; options that dataclasses declare, as fields."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import RegexValidator

from assess.ir.common.options import Option
from assess.ir.common.rows import CONTROL, LONGEST_NAME


def changed_labels(form: forms.Form) -> list[str]:
    """The fields of a valid form that were changed, as the page names them."""
    return [str(form[name].label) for name in form.changed_data if not form[name].is_hidden]


class RowsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Rows to choose from. Refuses keys that SQLite can't search for, as `ModelChoiceField` does."""

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except OverflowError as error:
            raise forms.ValidationError("Choose from the list.") from error


class NameField(forms.CharField):
    """A name that people choose, which later stands in a column of a table."""

    def __init__(self, *, max_length: int = LONGEST_NAME, **options: Any) -> None:
        no_control = RegexValidator(
            CONTROL, "Tabs, line breaks and other control characters are not allowed.", inverse_match=True
        )
        super().__init__(max_length=max_length, validators=[no_control], **options)


class WordsField(forms.CharField):
    """Words with spaces or commas between them, each once."""

    def clean(self, value: Any) -> list[str]:
        return list(dict.fromkeys(super().clean(value).replace(",", " ").split()))


class ListField(forms.CharField):
    """Texts between commas or, in a box, one on each line."""

    def __init__(self, *, rows: int = 0, **about: Any) -> None:
        self.separator = "\n" if rows else ","
        widget = forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput()
        super().__init__(required=False, widget=widget, initial=[], **about)

    def prepare_value(self, value: Any) -> Any:
        return f"{self.separator} ".replace("\n ", "\n").join(value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        texts = value if isinstance(value, list | tuple) else (value or "").split(self.separator)
        return [text.strip() for text in texts if text.strip()]


def form_field(option: Option, *, required: bool) -> forms.Field:
    """An option that must be given is chosen with radio buttons, so that nothing is chosen by default."""
    initial = "" if "" in option.choices or option.is_required else option.default
    about: dict[str, Any] = {"label": option.label, "help_text": option.help, "initial": initial}
    if option.kind is bool:
        return forms.BooleanField(required=False, **about)
    about["required"] = required
    if option.choices and option.is_list:
        return forms.MultipleChoiceField(choices=option.choices, widget=forms.CheckboxSelectMultiple, **about)
    if option.choices:
        about["empty_value"] = None if option.default is None else ""
        about["widget"] = forms.RadioSelect if option.is_required else forms.Select
        return forms.TypedChoiceField(choices=option.choices, coerce=lambda value: option.kind(value), **about)
    if option.is_list:
        return WordsField(**about)
    if option.kind is str:
        about["max_length"] = option.most
        return forms.CharField(widget=forms.Textarea({"rows": 2}), **about) if option.is_long else NameField(**about)
    number = forms.FloatField if option.kind is float else forms.IntegerField
    return number(min_value=option.least, max_value=option.most, **about)  # type: ignore[arg-type]


class SeveralFilesInput(forms.FileInput):
    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        clean = super().clean
        return [clean(file, initial) for file in data or [None]]


class WarnedForm(forms.Form):
    """A form that can warn before it does something: it is then refused, until its box is ticked."""

    anyway = forms.BooleanField(required=False, widget=forms.HiddenInput, label="Import anyway")

    def warn(self, *warnings: str) -> bool:
        """Whether the form must be shown again, with these warnings."""
        if not warnings or self.cleaned_data.get("anyway"):
            return False
        self.fields["anyway"].widget = forms.CheckboxInput()
        self.order_fields([*(name for name in self.fields if name != "anyway"), "anyway"])
        for warning in warnings:
            self.add_error(None, warning)
        return True
