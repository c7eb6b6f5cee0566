"""The words with which assessors grade, in the language of the installation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assess.ir.campaign.words import GRADES, OUTCOME_LABELS, OUTCOME_MEANINGS, OUTCOME_REASONS, SETTLING_REASONS, Grade
from assess.ir.common.rows import Task
from assess.services.desk.decisions import NO_TEXT


def grades(task: Task) -> list[Grade]:
    """The grades of a task, the highest first."""
    return [Grade(grade.grade, _(grade.name), _(grade.definition)) for grade in GRADES[task]]


def outcomes(chosen: Sequence[str]) -> list[tuple[str, str, str]]:
    """Outcomes with their names and what they mean."""
    return [(word, _(OUTCOME_LABELS[word]), _(OUTCOME_MEANINGS[word])) for word in chosen]


def reasons(chosen: Sequence[str]) -> list[tuple[str, str, list[str]]]:
    """Outcomes with their names and the usual reasons."""
    return [(word, _(OUTCOME_LABELS[word]), [_(text) for text in OUTCOME_REASONS[word]]) for word in chosen]


def settling_reasons(task: Task) -> list[tuple[str, str, list[str]]]:
    """Grades with the question that their box asks, and the usual reasons."""
    usual = [_(text) for text in SETTLING_REASONS]
    return [(str(grade.grade), _("Why “%(grade)s”?") % {"grade": grade.name}, usual) for grade in grades(task)]


def is_usual(outcome: str, comment: str) -> bool:
    """Whether a comment is one of the usual reasons of an outcome, or was filled in here, and nothing else."""
    return comment in {NO_TEXT, *map(_, OUTCOME_REASONS.get(outcome, ()))}


def labels(task: Task) -> dict[str, str]:
    """How each grade and each outcome is called: "3" is "High"."""
    return {str(grade.grade): grade.name for grade in grades(task)} | {word: label(word) for word in OUTCOME_LABELS}


def label(outcome: str) -> str:
    """How an outcome is called."""
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
    """A button for each of these outcomes."""
    return buttons(outcomes(offered), chosen)


def buttons(words: Sequence[tuple[str, str, str]], chosen: str) -> SafeString:
    return format_html_join(
        "",
        '<button class="choice {}" name="word" value="{}" title="{}" aria-pressed="{}">{} '
        '<kbd aria-hidden="true" data-key-of="{}"></kbd></button>',
        ((style(word), word, about, str(word == chosen).lower(), name, word) for word, name, about in words),
    )
