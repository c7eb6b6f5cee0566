"""Formulas that cannot be set: told by assessors' browsers, listed for organizers."""

import hashlib
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from assess.ir.collection import html
from assess.models import Assignment, Campaign, Instance, MathProblem
from assess.services.common.access import assignment_for
from assess.services.common.errors import Refused
from assess.services.pool.content import shown


class Listed(NamedTuple):
    """A problem, and the assignment and the place at which it can be looked at: None where nobody has it."""

    problem: MathProblem
    assignment: Assignment | None
    place: int


def report(pk: int, by: User, instance_id: int | None, tex: str, message: str) -> MathProblem:
    """Keep that a formula of a document (of the topic, where there is no instance) could not be set; once more of the
    same adds to its count. Raises Http404 where it is not this person's assignment, Refused where the document is
    not in it or does not hold the formula."""
    assignment = assignment_for(by, pk)
    campaign, topic = assignment.round.pool.campaign, assignment.topic
    document, texts = source(assignment, instance_id)
    held = {plain(one) for text in texts for _id, one in html.formulas(html.with_environments(html.canonical(text)))}
    if plain(tex) not in held | {plain(topic.latex)}:
        raise Refused(_("The document does not hold this formula."))
    found, _is_new = MathProblem.objects.update_or_create(
        campaign=campaign,
        document=document,
        digest=hashlib.sha256(plain(tex).encode()).hexdigest(),
        defaults={"count": F("count") + 1, "last": timezone.now(), "message": message},
        create_defaults={"topic": topic, "tex": tex, "message": message},
    )
    return found


def source(assignment: Assignment, instance_id: int | None) -> tuple[str, list[str]]:
    """What a document is called, and its texts as they are shown."""
    topic = assignment.topic
    if instance_id is None:
        return topic.topic_id, [topic.title, topic.body]
    found = Instance.objects.filter(pk=instance_id, entry__pool=assignment.round.pool_id, entry__topic=topic).first()
    if found is None:
        raise Refused(_("The document is not in this assignment."))
    [candidate] = shown(assignment.round.pool.campaign, topic, [found])
    title = candidate.post.title if candidate.post else ""
    return document_of(found), [title, candidate.body]


def document_of(instance: Instance) -> str:
    return instance.post_id or instance.doc_id


def plain(tex: str) -> str:
    """Browsers and forms write ends of lines in their own ways."""
    return " ".join(tex.split())


def listed(campaign: Campaign) -> list[Listed]:
    """All problems, those met most often first, in four queries."""
    problems = list(campaign.math_problems.select_related("topic"))
    topics = {one.topic_id for one in problems}
    assignments = {one.topic_id: one for one in in_charge(campaign, topics)}
    rows = Instance.objects.filter(entry__pool=campaign.frozen_pool(), entry__topic__in=topics).select_related("entry")
    entries = {(one.entry.topic_id, document_of(one)): one.entry_id for one in rows}

    def place(one: MathProblem) -> Listed:
        mine = assignments.get(one.topic_id)
        entry = entries.get((one.topic_id, one.document))
        is_placed = mine is not None and entry in mine.order
        at = mine.order.index(entry) + 1 if mine is not None and is_placed else 1
        is_shown = is_placed or one.document == one.topic.topic_id
        return Listed(one, mine if is_shown else None, at)

    return [place(one) for one in problems]


def in_charge(campaign: Campaign, topics: set[int]) -> list[Assignment]:
    """Of each topic the assignments of the frozen pool, the official one last."""
    found = Assignment.objects.filter(round__pool=campaign.frozen_pool(), topic__in=topics)
    return list(found.order_by("official"))
