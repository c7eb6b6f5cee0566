"""The words for grades and outcomes, in English; pages show them in the language of the installation.

The definitions of the grades are quoted from the overview of ARQMath-2 (B. Mansouri et al., CLEF 2021), whose wording
ARQMath-3 repeats; so is the question that assessors of formulas answer.
"""

from typing import NamedTuple

from assess.ir.common.rows import DO_NOT_KNOW, NOT_MATCHING, OUTCOMES, SYSTEM_FAILURE, Task


def _(text: str) -> str:
    """Marks a text for translation."""
    return text


class Grade(NamedTuple):
    """A grade, its name and its definition."""

    grade: int
    name: str
    definition: str


ANSWER_GRADES = (
    Grade(3, _("High"), _("Sufficient to answer the complete question on its own")),
    Grade(
        2,
        _("Medium"),
        _(
            "Provides some path towards the solution. This path might come from clarifying the question, or "
            "identifying steps towards a solution"
        ),
    ),
    Grade(
        1,
        _("Low"),
        _(
            "Provides information that could be useful for finding or interpreting an answer, or interpreting the "
            "question"
        ),
    ),
    Grade(
        0,
        _("Not relevant"),
        _(
            "Provides no information pertinent to the question or its answers. A post that restates the question "
            "without providing any new information is considered non-relevant"
        ),
    ),
)
FORMULA_GRADES = (
    Grade(3, _("High"), _("Just as good as finding an exact match to the query formula would be")),
    Grade(2, _("Medium"), _("Useful but not as good as the original formula would be")),
    Grade(1, _("Low"), _("There is some chance of finding something useful")),
    Grade(0, _("Not relevant"), _("Not expected to be useful")),
)
GRADES: dict[Task, tuple[Grade, ...]] = {"answers": ANSWER_GRADES, "written": ANSWER_GRADES, "formulas": FORMULA_GRADES}
QUESTIONS: dict[Task, str] = {
    "answers": _("How much does this answer help the person who asked the question?"),
    "written": _("How much does this answer help the person who asked the question?"),
    "formulas": _(
        "for a formula query, if a search engine retrieved one or more instances of this retrieved formula, "
        "would that have been expected to be useful for the task that the searcher was attempting to "
        "accomplish?"
    ),
}
OUTCOME_LABELS: dict[str, str] = {
    SYSTEM_FAILURE: _("System failure"),
    DO_NOT_KNOW: _("Do not know"),
    NOT_MATCHING: _("Not matching"),
}
OUTCOME_MEANINGS: dict[str, str] = {
    SYSTEM_FAILURE: _("You cannot read the text or its formulas, or open a thread that you need."),
    DO_NOT_KNOW: _("You cannot decide, even after reading the threads."),
    NOT_MATCHING: _("The highlighted formula does not look like the others shown with it."),
}
OUTCOME_REASONS: dict[str, tuple[str, ...]] = {
    SYSTEM_FAILURE: (
        _("The text is unreadable"),
        _("A formula is unreadable"),
        _("The thread does not open"),
        _("A picture is missing"),
    ),
    DO_NOT_KNOW: (
        _("I do not understand the question"),
        _("I do not understand this post"),
        _("The question is unclear or incomplete"),
        _("Requires expertise I don’t have"),
    ),
    NOT_MATCHING: (_("Another formula is highlighted"), _("No formula is highlighted")),
}
"""The usual reasons, one key each."""
SETTLING_REASONS = (
    _("A judgment overlooked part of it"),
    _("A judgment was too strict"),
    _("A judgment was too generous"),
    _("The guidelines decide it"),
)
"""The usual reasons of an expert who settles a disagreement."""

JUDGE_AS = _(
    "Judge as a professor of mathematics would when helping the person who asked: would this be useful to that person?"
)
SOURCES = _(
    "You may look anything up to understand the topic, but judge only what the collection itself says: "
    "follow links to other posts of the collection, not links that lead out of it."
)
PARTS = _("If a question has several parts, only an answer that says something relevant about every part is high.")
PARTLY = _("If any part of what is shown is relevant, it is relevant.")
CONTEXT = _("Judge the highlighted formula in the post around it, not the post.")
SAME_IS_HIGH = _("A formula identical to the query is always highly relevant.")
SAME_BY_CONTEXT = _(
    "A formula identical to the query may be less relevant, or not relevant, if its context differs: the same "
    "equation means one thing over the integers and another over the reals. A formula that looks different may be "
    "relevant if it stands for the same concept."
)
ANSWER_GUIDELINES = (JUDGE_AS, SOURCES, PARTLY)
FORMULA_GUIDELINES = (JUDGE_AS, SOURCES, CONTEXT)


def outcomes(task: Task) -> tuple[str, ...]:
    """The outcomes that assessors can choose: "not matching" only for formulas."""
    return tuple(outcome for outcome in OUTCOMES if task == "formulas" or outcome != NOT_MATCHING)
