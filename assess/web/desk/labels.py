"""The words with which assessors grade, in the language of the installation; also as filters of templates."""

import json
from functools import lru_cache

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import NOT_MATCHING
from assess.models import Judgment, JudgmentEvent
from assess.services.rounds.pace import Pace
from assess.web.common.html import style

register = template.Library()
SETTLING_REASONS = (
    "A judgment overlooked part of it",
    "A judgment was too strict",
    "A judgment was too generous",
    "The guidelines decide it",
)
"""The usual reasons of an expert who settles a disagreement."""


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


def meanings(rules: Protocol) -> dict[str, str]:
    """What each grade means, the highest first, and each outcome."""
    of_grades = {str(each.value): translated(each.definition) for each in rules.grades}
    return of_grades | {each.word: translated(each.meaning) for each in rules.outcomes}


def usual_reasons(rules: Protocol, is_settling: bool) -> list[tuple[str, str, list[str]]]:
    """What asks for a reason: each outcome with its name and the usual reasons; and in an adjudication each grade with
    the question that its box asks, and those of grades."""
    reasons = [(each.word, _(each.name), [_(text) for text in each.reasons]) for each in rules.outcomes]
    if is_settling:
        usual = [_(text) for text in SETTLING_REASONS]
        asked = _("Why “%(grade)s”?")
        reasons += [(str(each.value), asked % {"grade": _(each.name)}, usual) for each in rules.grades]
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
def grade_counts(pace: Pace, rules: Protocol) -> list[int]:
    """How often each grade was given, the highest first."""
    return [pace.grades[str(value)] for value in rules.values]


@register.filter
def active_seconds(judged: Judgment | JudgmentEvent) -> str:
    """The time of attention that it took; empty if it is not known."""
    return f"{judged.active_ms / 1000:.1f}" if judged.active_ms else ""


@lru_cache
def buttons(rules: Protocol, offered: tuple[str, ...], chosen: str, language: str) -> SafeString:
    """A button for each of these grades or outcomes. Of all that an item holds, the buttons alone are the same again
    and again, and they took most of the time of putting it together."""
    button = (
        '<button class="choice {}" name="word" value="{}" data-means="{}" aria-describedby="means-{}" '
        'aria-pressed="{}">{} <kbd aria-hidden="true" data-key-of="{}"></kbd></button>'
    )
    names, means = labels(rules), meanings(rules)
    rows = (
        (style(rules, word), word, means[word], word, str(word == chosen).lower(), names[word], word)
        for word in offered
    )
    return format_html_join("", button, rows)
