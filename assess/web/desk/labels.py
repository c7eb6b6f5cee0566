"""The words with which assessors grade, in the language of the installation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assess.ir.campaign.words import (
    GRADES,
    OUTCOME_LABELS,
    OUTCOME_MEANINGS,
    OUTCOME_REASONS,
    SETTLING_REASONS,
    Grade,
    outcomes,
)
from assess.ir.common.rows import Task
from assess.services.desk.decisions import NO_TEXT


def grades(task: Task) -> list[Grade]:
    """The grades of a task, the highest first."""
    return [Grade(grade.grade, _(grade.name), _(grade.definition)) for grade in GRADES[task]]


def describe_outcomes(chosen: Sequence[str]) -> list[tuple[str, str, str]]:
    """Outcomes with their names and what they mean."""
    return [(word, outcome_label(word), _(OUTCOME_MEANINGS[word])) for word in chosen]


def usual_reasons(task: Task, is_settling: bool) -> list[tuple[str, str, list[str]]]:
    """What asks for a reason: each outcome with its name and the usual reasons; and in an adjudication each grade with
    the question that its box asks, and those of grades."""
    reasons = [(word, outcome_label(word), [_(text) for text in OUTCOME_REASONS[word]]) for word in outcomes(task)]
    if is_settling:
        usual = [_(text) for text in SETTLING_REASONS]
        reasons += [(str(each.grade), _("Why “%(grade)s”?") % {"grade": each.name}, usual) for each in grades(task)]
    return reasons


def is_usual(outcome: str, comment: str) -> bool:
    """Whether a comment is one of the usual reasons of an outcome, or was filled in here, and nothing else."""
    return comment in {NO_TEXT, *map(_, OUTCOME_REASONS.get(outcome, ()))}


def labels(task: Task) -> dict[str, str]:
    """How each grade and each outcome is called: "3" is "High"."""
    names = {str(grade.grade): grade.name for grade in grades(task)}
    return names | {word: outcome_label(word) for word in OUTCOME_LABELS}


def outcome_label(outcome: str) -> str:
    return _(OUTCOME_LABELS[outcome])


def style(word: str) -> str:
    """The CSS class of a grade or an outcome."""
    return f"grade-{word}" if word.isdigit() else "outcome"


@lru_cache
def grade_buttons(task: Task, chosen: str, language: str) -> SafeString:
    """A button for each grade. Of all that an item holds, the buttons alone are the same again and again, and they
    took most of the time of putting it together."""
    return buttons([(str(grade.grade), grade.name, grade.definition) for grade in grades(task)], chosen)


@lru_cache
def outcome_buttons(offered: tuple[str, ...], chosen: str, language: str) -> SafeString:
    return buttons(describe_outcomes(offered), chosen)


def buttons(words: Sequence[tuple[str, str, str]], chosen: str) -> SafeString:
    return format_html_join(
        "",
        '<button class="choice {}" name="word" value="{}" title="{}" aria-pressed="{}">{} '
        '<kbd aria-hidden="true" data-key-of="{}"></kbd></button>',
        ((style(word), word, about, str(word == chosen).lower(), name, word) for word, name, about in words),
    )
