"""Template filters for numbers of statistical tests and names of measures; the buttons that download tables."""

from collections.abc import Iterable

from django import template
from django.urls import reverse

from assess.web.common.measure_names import on_screen

register = template.Library()
SMALLEST = 0.0001


@register.filter
def beside(rows: Iterable[object], names: Iterable[object]) -> list[tuple[object, object]]:
    """Each row with its name before it."""
    return list(zip(names, rows, strict=True))


@register.inclusion_tag("releases/_files.html", takes_context=True)
def table_files(context: template.Context, view: str, *args: object) -> dict[str, object]:
    """Buttons that download the tables of a page, as its own query chooses, from this view with these arguments."""
    query = context["request"].GET
    end = f"?{query.urlencode()}" if query else ""
    return {name: reverse(view, args=[*args, name]) + end for name in ("csv", "tex")}


@register.filter
def p(value: float | None) -> str:
    """A p with four decimals; a smaller one as less than the smallest."""
    return "—" if value is None else p_of(value).removeprefix("= ")


@register.filter
def names(measures: Iterable[str]) -> str:
    """The names of measures as pages show them, with commas between."""
    return ", ".join(map(on_screen, measures))


register.filter("prime", on_screen)


@register.filter
def p_of(value: float) -> str:
    """The same with the sign before it, for a sentence."""
    return f"< {SMALLEST}" if value < SMALLEST else f"= {value:.4f}"
