"""Options that dataclasses declare, as fields of forms."""

from __future__ import annotations

from typing import Any

from django import forms

from assess.ir.common.options import Option


class WordsField(forms.CharField):
    """Words with spaces or commas between them, each once."""

    def clean(self, value: Any) -> list[str]:
        return list(dict.fromkeys(super().clean(value).replace(",", " ").split()))


def form_field(option: Option, *, required: bool) -> forms.Field:
    initial = "" if "" in option.choices else option.default
    about: dict[str, Any] = {"label": option.label, "help_text": option.help, "initial": initial}
    if option.kind is bool:
        return forms.BooleanField(required=False, **about)
    about["required"] = required
    if option.choices:
        return forms.ChoiceField(choices=list(option.choices.items()), **about)
    if option.is_list:
        return WordsField(**about)
    number = forms.FloatField if option.kind is float else forms.IntegerField
    return number(min_value=option.least, max_value=option.most, **about)  # type: ignore[arg-type]
