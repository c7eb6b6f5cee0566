"""The words with which assessors grade, in the language of the installation; also as filters of templates."""

import json
from collections.abc import Sequence
from functools import lru_cache

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assess.ir.campaign.protocol import Protocol
from assess.ir.campaign.scale import Outcome
from assess.ir.common.rows import NOT_MATCHING
from assess.models import Judgment, JudgmentEvent
from assess.web.common.html import style

register = template.Library()
SETTLING_REASONS = (
    "A judgment overlooked part of it",
    "A judgment was too strict",
    "A judgment was too generous",
    "The guidelines decide it",
)
"""The usual reasons of an expert who settles a disagreement."""


Words = list[tuple[str, str, str]]
"""Grades, the highest first, or outcomes, as words with their names and what they mean."""


@register.filter("scale_of")
def scale(rules: Protocol) -> str:
    """What the desk's script judges by, as JSON (`desk/model/scale.ts`). In threads the key of NOT_MATCHING says when
    it does not apply, also in labs without it."""
    reasons = {
        each.word: "needed" if each.needs_comment else "asked" if each.reasons else "" for each in rules.outcomes
    }
    if rules.kind.has_threads:
        reasons.setdefault(NOT_MATCHING, "asked")
    told = {
        "grades": [(str(each.value), each.key) for each in rules.grades],
        "outcomes": list(reasons.items()),
        "names": {word: (name, style(rules, word)) for word, name in labels(rules).items()},
        "hasThreads": rules.kind.has_threads,
    }
    return json.dumps(told)


def translated(text: str) -> str:
    """gettext's translation of an empty text is a header."""
    return _(text) if text else ""


def describe_grades(rules: Protocol) -> Words:
    return [(str(each.value), _(each.name), translated(each.definition)) for each in rules.grades]


def describe_outcomes(chosen: Sequence[Outcome]) -> Words:
    return [(each.word, _(each.name), translated(each.meaning)) for each in chosen]


def usual_reasons(rules: Protocol, is_settling: bool) -> list[tuple[str, str, list[str]]]:
    """What asks for a reason: each outcome with its name and the usual reasons; and in an adjudication each grade with
    the question that its box asks, and those of grades."""
    reasons = [(each.word, _(each.name), [_(text) for text in each.reasons]) for each in rules.outcomes]
    if is_settling:
        usual = [_(text) for text in SETTLING_REASONS]
        asked = _("Why “%(grade)s”?")
        reasons += [(word, asked % {"grade": name}, usual) for word, name, _about in describe_grades(rules)]
    return reasons


def labels(rules: Protocol) -> dict[str, str]:
    """How each grade and each outcome is called: "3" is "High"."""
    return {word: _(name) for word, name in rules.names.items()}


@register.filter
def decision_name(decision: str, rules: Protocol) -> str:
    return _(rules.names[decision])


@register.filter
def badge(decision: str, rules: Protocol) -> SafeString:
    return format_html('<span class="badge {}">{}</span>', style(rules, decision), decision_name(decision, rules))


@register.filter
def active_seconds(judged: Judgment | JudgmentEvent) -> str:
    """The time of attention that it took; empty if it is not known."""
    return f"{judged.active_ms / 1000:.1f}" if judged.active_ms else ""


@lru_cache
def grade_buttons(rules: Protocol, chosen: str, language: str) -> SafeString:
    """A button for each grade. Of all that an item holds, the buttons alone are the same again and again, and they
    took most of the time of putting it together."""
    return buttons(rules, describe_grades(rules), chosen)


@lru_cache
def outcome_buttons(rules: Protocol, offered: tuple[Outcome, ...], chosen: str, language: str) -> SafeString:
    return buttons(rules, describe_outcomes(offered), chosen)


def buttons(rules: Protocol, words: Words, chosen: str) -> SafeString:
    button = (
        '<button class="choice {}" name="word" value="{}" data-means="{}" aria-describedby="means-{}" '
        'aria-pressed="{}">{} <kbd aria-hidden="true" data-key-of="{}"></kbd></button>'
    )
    rows = (
        (style(rules, word), word, about, word, str(word == chosen).lower(), name, word) for word, name, about in words
    )
    return format_html_join("", button, rows)
