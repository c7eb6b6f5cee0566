"""Template filters for numbers of statistical tests and names of measures."""

from collections.abc import Iterable

from django import template

from assess.web.results.measure_names import on_screen

register = template.Library()
SMALLEST = 0.0001


@register.filter
def p(value: float | None) -> str:
    """A p with four decimals; a smaller one as less than the smallest."""
    return "—" if value is None else p_of(value).removeprefix("= ")


@register.filter
def names(measures: Iterable[str]) -> str:
    """The names of measures as pages show them, with commas between."""
    return ", ".join(map(on_screen, measures))


@register.filter
def p_of(value: float) -> str:
    """The same with the sign before it, for a sentence."""
    return f"< {SMALLEST}" if value < SMALLEST else f"= {value:.4f}"
