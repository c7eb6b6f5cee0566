"""Filters that all templates know: numbers and limits, durations, formulas in text that people write."""

from datetime import timedelta
from typing import Any

from django import template
from django.conf import settings
from django.forms import BoundField
from django.template import defaultfilters
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assess.ir.campaign.protocol import Protocol
from assess.services.common.wording import number, unit_word
from assess.web.common.html import cut_text, excerpt, filled, formula_length, own_formulas

register = template.Library()
register.filter(excerpt)

MINUS = "\N{MINUS SIGN}"
GIGABYTE, MEGABYTE = 10**9, 10**6
STEPS = ((10, 1), (60, 5))
"""Below so many minutes, rounded to so many; above, to ten."""


@register.filter(is_safe=True)
def floatformat(value: Any, places: Any = -1) -> str:
    """Django's, with a real minus sign: a hyphen is too short beside digits and a plus."""
    text = defaultfilters.floatformat(value, places)
    return MINUS + text[1:] if text.startswith("-") else text


@register.simple_tag(takes_context=True)
def kept(context: template.Context, *names: str) -> SafeString:
    """Hidden fields for what a form that is sent by GET would else remove from the address."""
    sent = context["request"].GET
    fields = ((name, sent[name]) for name in names if name in sent)
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', fields)


@register.simple_tag
def upload_limit(field: BoundField) -> int:
    """The most bytes of the files of a form together, for its first field with files; 0 for the others. Gigabytes
    concern only the forms that take the files of a whole site, which say so (`TAKES_GIGABYTES`)."""
    first = next(other.name for other in field.form if getattr(other.field.widget, "input_type", "") == "file")
    limit: int = settings.UPLOAD_LIMIT
    is_relevant = limit < GIGABYTE or getattr(field.form, "TAKES_GIGABYTES", False)
    return limit if field.name == first and is_relevant else 0


@register.filter
def megabytes(size: int) -> str:
    """In the unit of the setting; Django's ``filesizeformat`` shows 20,000 MB as 18.6 GB."""
    return f"{size // MEGABYTE:,}\N{NO-BREAK SPACE}MB"


@register.filter
def units(rules: Protocol, count: int | None = None) -> str:
    """The word for the units of a protocol, with their number if it is given."""
    word = unit_word(rules)
    return f"{word}s" if count is None else number(count, word)


@register.filter
def exactly(duration: timedelta | None) -> str:
    """A duration to the second: "0:07", "12:05", "1:02:03"; empty for None."""
    if duration is None:
        return ""
    minutes, seconds = divmod(int(duration.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


@register.filter
def roughly(seconds: float) -> str:
    """What is left of a job: to five seconds below a minute, else as `about_duration`."""
    return f"about {max(5, 5 * round(seconds / 5))} s" if seconds < 60 else about_duration(seconds)


@register.filter
def about_duration(seconds: float | None) -> str:
    """An estimate, coarsely rounded: "about 4 min", "about 35 min", "about 2 h 10 min"; empty for None."""
    if seconds is None:
        return ""
    minutes = seconds / 60
    step = next((step for most, step in STEPS if minutes < most), 10)
    rounded = max(step * round(minutes / step), 1)
    hours, rest = divmod(rounded, 60)
    if not hours:
        return _("about %(minutes)d min") % {"minutes": rest}
    if not rest:
        return _("about %(hours)d h") % {"hours": hours}
    return _("about %(hours)d h %(minutes)d min") % {"hours": hours, "minutes": rest}


@register.filter
def formulas(text: str) -> SafeString:
    """The whole text; ``linebreaks`` may follow."""
    return filled(*own_formulas(text))


@register.filter
def opening(text: str, length: int) -> SafeString:
    """The first words, on one line."""
    line, formulas = own_formulas(" ".join(text.split()), on_line=True)
    return filled(cut_text(line, length, map(formula_length, formulas)), formulas)
