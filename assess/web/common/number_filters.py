"""Django's `floatformat` with a real minus sign, on all pages: a hyphen is too short beside digits and a plus."""

from typing import Any

from django import template
from django.template import defaultfilters

register = template.Library()
MINUS = "\N{MINUS SIGN}"


@register.filter(is_safe=True)
def floatformat(value: Any, places: Any = -1) -> str:
    text = defaultfilters.floatformat(value, places)
    return MINUS + text[1:] if text.startswith("-") else text
