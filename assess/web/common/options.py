"""Options that dataclasses declare, as fields of forms."""

from typing import Any

from django import forms

from assess.ir.common.options import Option
from assess.web.common.forms import NameField


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
