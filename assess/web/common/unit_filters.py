"""Template filters for what is pooled, judged and scored."""

from django import template

from assess.ir.campaign.presets import Protocol
from assess.services.common.wording import number, unit_word

register = template.Library()


@register.filter
def units(rules: Protocol, count: int | None = None) -> str:
    """The word for the units of a protocol, with their number if it is given."""
    word = unit_word(rules)
    return f"{word}s" if count is None else number(count, word)
