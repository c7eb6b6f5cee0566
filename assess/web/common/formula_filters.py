"""What people write, and the first words of posts, with their formulas, in the templates."""

from django import template
from django.utils.safestring import SafeString

from assess.web.common.html import cut, excerpt, filled, own_formulas, signs

register = template.Library()
register.filter(excerpt)


@register.filter
def formulas(text: str) -> SafeString:
    """All of it; ``linebreaks`` may follow."""
    return filled(*own_formulas(text))


@register.filter
def opening(text: str, length: int) -> SafeString:
    """The first words for a list, on one line."""
    line, found = own_formulas(" ".join(text.split()), on_line=True)
    return filled(cut(line, length, map(signs, found)), found)
