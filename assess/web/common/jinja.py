"""Jinja, for the one template that is rendered with every judgment: compiled, it takes a fifth of the time of one of
Django's."""

from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from jinja2 import Environment, StrictUndefined


def environment(**options: Any) -> Environment:
    """Knows the translations, and no name that it was not given."""
    made = Environment(**{**options, "undefined": StrictUndefined})
    made.globals["_"] = gettext
    return made


def rendered(name: str, context: dict[str, Any], request: HttpRequest | None = None) -> SafeString:
    """A part of a page: what is not marked as safe is escaped, as in Django's own templates. The forms of a ``request``
    get what guards them against forgery."""
    return mark_safe(render_to_string(name, context, request, using="jinja2"))
