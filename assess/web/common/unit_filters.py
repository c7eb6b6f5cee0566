"""What is pooled, judged and scored, in the words of the templates."""

from django import template

from assess.ir.campaign.presets import Protocol
from assess.services.common.wording import number, unit_word

register = template.Library()


@register.filter
def units(rules: Protocol, count: int | None = None) -> str:
    """The units by these rules: so many, or in general."""
    word = unit_word(rules)
    return f"{word}s" if count is None else number(count, word)
