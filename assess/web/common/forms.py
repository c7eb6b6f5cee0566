"""Forms and fields of several rooms."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import RegexValidator

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
