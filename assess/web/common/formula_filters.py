"""Template filters for text that people write and first words of posts, with their formulas."""

from django import template
from django.utils.safestring import SafeString

from assess.web.common.html import cut_text, excerpt, filled, formula_length, own_formulas

register = template.Library()
register.filter(excerpt)


@register.filter
def formulas(text: str) -> SafeString:
    """The whole text; ``linebreaks`` may follow."""
    return filled(*own_formulas(text))


@register.filter
def opening(text: str, length: int) -> SafeString:
    """The first words, on one line."""
    line, formulas = own_formulas(" ".join(text.split()), on_line=True)
    return filled(cut_text(line, length, map(formula_length, formulas)), formulas)
