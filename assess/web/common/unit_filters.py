"""Template filters for what is uploaded, pooled, judged and scored."""

from django import template
from django.conf import settings

from assess.ir.campaign.presets import Protocol
from assess.services.common.wording import number, unit_word

register = template.Library()


@register.simple_tag(takes_context=True)
def upload_limit(context: template.Context) -> int:
    """The most bytes of the files of a form together, for the first field with files of a page; 0 for the others."""
    is_first = not context.render_context.dicts[0].get("has_limit")
    context.render_context.dicts[0]["has_limit"] = "yes"
    limit: int = settings.UPLOAD_LIMIT
    return limit if is_first else 0


@register.filter
def units(rules: Protocol, count: int | None = None) -> str:
    """The word for the units of a protocol, with their number if it is given."""
    word = unit_word(rules)
    return f"{word}s" if count is None else number(count, word)
