"""Formulas that cannot be rendered: reported by assessors' browsers, listed for organizers."""

import hashlib
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from assess.ir.collection.html import canonical, shown_formulas
from assess.ir.collection.tex import legible
from assess.models import Assignment, Campaign, Instance, MathProblem
from assess.services.common.access import assignment_for
from assess.services.common.errors import Refused
from assess.services.pool.content import cards_of


class ListedProblem(NamedTuple):
    """A problem, and the assignment and place that show it; no assignment if nobody has it."""

    problem: MathProblem
    assignment: Assignment | None
    place: int


def report(pk: int, by: User, instance_id: int | None, tex: str, message: str) -> MathProblem:
    """Record that a formula of a document, or of the topic without an instance, could not be rendered; a repeated
    report adds to its count. Raises Http404 if the assignment is not this person's, Refused if the document is not in
    it or does not contain the formula."""
    assignment = assignment_for(by, pk)
    campaign, topic = assignment.campaign, assignment.topic
    document, texts = source(assignment, instance_id)
    formulas = [formula for text in texts for formula in shown_formulas(canonical(text))]
    if plain(tex) not in map(plain, [*formulas, legible(topic.latex)]):
        raise Refused(_("The document does not contain this formula."))
    problem, _is_new = MathProblem.objects.update_or_create(
        campaign=campaign,
        document=document,
        digest=hashlib.sha256(plain(tex).encode()).hexdigest(),
        defaults={"count": F("count") + 1, "last": timezone.now(), "message": message},
        create_defaults={"topic": topic, "tex": tex, "message": message},
    )
    return problem


def source(assignment: Assignment, instance_id: int | None) -> tuple[str, list[str]]:
    """The id of a document, and its texts as shown."""
    topic = assignment.topic
    if instance_id is None:
        return topic.topic_id, [topic.title, topic.body]
    instance = Instance.objects.filter(pk=instance_id, entry__pool=assignment.round.pool_id, entry__topic=topic).first()
    if instance is None:
        raise Refused(_("The document is not in this assignment."))
    [candidate] = cards_of(assignment.campaign, topic, [instance])
    title = candidate.post.title if candidate.post else ""
    return document_of(instance), [title, candidate.body]


def document_of(instance: Instance) -> str:
    return instance.post_id or instance.doc_id


def plain(tex: str) -> str:
    """With single spaces: browsers and forms write line ends differently."""
    return " ".join(tex.split())


def listed(campaign: Campaign) -> list[ListedProblem]:
    """All problems, the most frequent first, in four queries."""
    problems = list(campaign.math_problems.select_related("topic"))
    topics = {problem.topic_id for problem in problems}
    pool = campaign.frozen_pool()
    official_last = Assignment.objects.filter(round__pool=pool, topic__in=topics).order_by("official")
    assignments = {assignment.topic_id: assignment for assignment in official_last}
    rows = Instance.objects.filter(entry__pool=pool, entry__topic__in=topics).select_related("entry")
    entries = {(row.entry.topic_id, document_of(row)): row.entry_id for row in rows}

    def placed(problem: MathProblem) -> ListedProblem:
        assignment = assignments.get(problem.topic_id)
        entry = entries.get((problem.topic_id, problem.document))
        if assignment and entry in assignment.order:
            return ListedProblem(problem, assignment, assignment.order.index(entry) + 1)
        return ListedProblem(problem, assignment if problem.document == problem.topic.topic_id else None, 1)

    return [placed(problem) for problem in problems]
