"""What forms of several rooms share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import RegexValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from assess.ir.common.ids import CONTROL
from assess.ir.common.problems import BadInput
from assess.ir.common.rows import LONGEST_NAME
from assess.services.common.errors import Refused


@contextmanager
def errors_on(form: forms.Form, field: str | None = None) -> Iterator[None]:
    """Show a refusal of a service as errors of the form or field, one line for each problem."""
    try:
        yield
    except BadInput as error:
        form.add_error(field, forms.ValidationError(str(error).splitlines()))
    except Refused as error:
        form.add_error(field, str(error))


def changed_labels(form: forms.Form) -> list[str]:
    """The fields of a valid form that were changed, as the page names them."""
    return [str(form[name].label) for name in form.changed_data if not form[name].is_hidden]


def checked_fields(form: forms.Form) -> dict[str, Any]:
    """What the form of a button says. Raises Refused with all that is wrong."""
    if not form.is_valid():
        labels = {field.name: f"{field.label}: " for field in form}
        wrong = [f"{labels.get(name, '')}{error}" for name, errors in form.errors.items() for error in errors]
        raise Refused(" ".join(wrong))
    return form.cleaned_data


def render_form(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """A page with ``form`` in its context: 422 if the form was refused, as the API answers."""
    return render(request, template, context, status=422 if context["form"] and context["form"].errors else 200)


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
