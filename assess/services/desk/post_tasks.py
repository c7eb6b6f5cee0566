"""Two questions about each written answer of a judged topic, and what the replies say about the systems (Task 3).

Until the topic is judged, nothing shows which answers were written. MG and UI are the fractions of a system's answers
said to be written by a machine, and to contain unrelated information (Mansouri et al., CLEF 2022, 6.4.3)."""

from collections import Counter
from collections.abc import Container, Iterable
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from assess.ir.campaign.scale import is_grade
from assess.ir.common.figures import percent
from assess.models import Assignment, Instance, Judgment, Pool, PostTask, Run
from assess.services.common.access import assignment_for
from assess.services.common.errors import Refused
from assess.services.desk import documents
from assess.services.pool.content import Card, cards_of
from assess.services.runs import runs


class Written(NamedTuple):
    """A written answer with its assessor's latest replies."""

    card: Card
    replies: PostTask | None


def written_of(assignment: Assignment) -> list[Written]:
    """The written answers of a topic in the assessor's order, in five queries. Raises Http404 unless all of the topic
    is judged."""
    if not documents.is_all_judged(documents.states(assignment)):
        raise Http404
    places = {entry: place for place, entry in enumerate(assignment.order)}
    instances = sorted(written_in(assignment), key=lambda instance: places[instance.entry_id])
    latest = {replies.instance_id: replies for replies in assignment.post_tasks.order_by("pk")}
    cards = cards_of(assignment.campaign, assignment.topic, instances)
    return [Written(card, latest.get(card.instance.pk)) for card in cards]


def written_in(assignment: Assignment) -> QuerySet[Instance]:
    return Instance.objects.filter(entry__in=assignment.order, kind=Instance.Kind.WRITTEN)


def waiting_answers(assignment: Assignment) -> tuple[int, int]:
    """How many written answers a judged topic has, and how many of them lack replies."""
    written = written_in(assignment)
    return written.count(), written.exclude(post_tasks__assignment=assignment).count()


@transaction.atomic
def save_replies(pk: int, by: User, number: int, sent: PostTask, content_hash: str) -> list[Written]:
    """Save an assessor's replies about the answer with this number, unless they are the same as before; returns all
    answers as they are then. ``content_hash``: of the text that the page showed. Raises Http404 if the assessor has no
    such answer, Refused if the page showed another answer or a question is not answered."""
    assignment = assignment_for(by, pk, changes=True, lock=True)
    answers = written_of(assignment)
    if not 1 <= number <= len(answers):
        raise Http404
    answer = answers[number - 1]
    instance, latest = answer.card.instance, answer.replies
    if (sent.instance_id, content_hash) != (instance.pk, instance.content_hash):
        raise Refused(_("The page showed another answer. Read this one first."))
    if not {sent.machine, sent.unrelated} <= set(PostTask.Reply.values):
        raise Refused(_("Answer both questions."))
    if latest is None or (latest.machine, latest.unrelated) != (sent.machine, sent.unrelated):
        sent.assignment, sent.by = assignment, by
        sent.save()
        answers[number - 1] = answer._replace(replies=sent)
    return answers


class Reply(NamedTuple):
    """The official assessor's replies about a written answer, with their grade or outcome."""

    topic_id: str
    doc_id: str
    machine: str
    unrelated: str
    decision: str


class ReplyCounts(NamedTuple):
    """How many answers got each reply. The percentage counts “cannot tell” as a no."""

    yes: int
    no: int
    cannot_tell: int

    @property
    def total(self) -> int:
        return sum(self)

    @property
    def percent(self) -> float | None:
        """Percentage of yes; None without replies."""
        return percent(self.yes, self.total) if self.total else None


class System(NamedTuple):
    """A run of written answers: how many answers it has for the topics of the campaign, and the replies about them."""

    run: Run
    answers: int
    machine: ReplyCounts
    unrelated: ReplyCounts


class PostTaskReport(NamedTuple):
    """All replies, the number of written answers in the pool, and the systems; and the replies about unrelated
    information: by decision, of answers that are not relevant (an outcome counts 0), and of all."""

    replies: list[Reply]
    answers: int
    systems: list[System]
    crossed: list[tuple[str, ReplyCounts]]
    low: ReplyCounts
    whole: ReplyCounts

    @property
    def topics(self) -> int:
        return len({reply.topic_id for reply in self.replies})


def count_replies(replies: Iterable[str]) -> ReplyCounts:
    counts = Counter(replies)
    return ReplyCounts(*(counts[reply] for reply in PostTask.Reply.values))


def replies_of(pool: Pool) -> list[Reply]:
    """The latest replies of each official assessor about each written answer that is judged."""
    official = {"assignment__round__pool": pool, "assignment__official": True}
    written = {"instance__kind": Instance.Kind.WRITTEN}
    judgments = Judgment.objects.filter(**official, **written).only("instance_id", "grade", "outcome")
    decisions = {judgment.instance_id: judgment.decision for judgment in judgments}
    rows = PostTask.objects.filter(**official).order_by("pk")
    fields = ("instance", "assignment__topic__topic_id", "instance__doc_id", "machine", "unrelated")
    latest = {row[0]: row[1:] for row in rows.values_list(*fields)}
    return sorted(
        Reply(topic_id, doc_id, machine, unrelated, decisions[instance])
        for instance, (topic_id, doc_id, machine, unrelated) in latest.items()
        if instance in decisions
    )


def report_replies(pool: Pool) -> PostTaskReport:
    replies, systems, rules = replies_of(pool), [], pool.rules
    by_answer = {(reply.topic_id, reply.doc_id): reply for reply in replies}
    for run in pool.campaign.runs.filter(format=Run.Format.TASK3).select_related("ranking"):
        answers = list(runs.load_ranking(run).select("topic_id", "doc_id").iter_rows())
        own = [by_answer[answer] for answer in answers if answer in by_answer]
        machine, unrelated = (count_replies(getattr(reply, name) for reply in own) for name in ("machine", "unrelated"))
        systems.append(System(run, len(answers), machine, unrelated))

    def count_unrelated(decisions: Container[str]) -> ReplyCounts:
        return count_replies(reply.unrelated for reply in replies if reply.decision in decisions)

    written = Instance.objects.filter(entry__pool=pool, kind=Instance.Kind.WRITTEN).count()
    crossed = [(word, counts) for word in rules.names if (counts := count_unrelated([word])).total]
    poor = [word for word in rules.names if not is_grade(word) or int(word) < rules.level]
    return PostTaskReport(replies, written, systems, crossed, count_unrelated(poor), count_unrelated(rules.names))
