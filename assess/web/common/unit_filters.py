"""Template filters for what is uploaded, pooled, judged and scored."""

from django import template
from django.conf import settings
from django.forms import BoundField

from assess.ir.campaign.presets import Protocol
from assess.services.common.wording import number, unit_word

register = template.Library()
GIGABYTE, MEGABYTE = 10**9, 10**6


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
    """A limit in the unit of its setting, such as ``ASSESS_MAX_UPLOAD_MB``. Django's ``filesizeformat`` divides by
    1,024 and shows 20,000 MB as 18.6 GB."""
    return f"{size // MEGABYTE:,}\N{NO-BREAK SPACE}MB"


@register.filter
def units(rules: Protocol, count: int | None = None) -> str:
    """The word for the units of a protocol, with their number if it is given."""
    word = unit_word(rules)
    return f"{word}s" if count is None else number(count, word)
