"""The pass over a topic's written answers once all of it is judged, and what it tells of the systems (Task 3).

Until then nothing says which answers were written. MG and UI are the fractions of a system's answers that were said to
be written by a machine, and to hold unrelated information (Mansouri et al., CLEF 2022, 6.4.3)."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from assess.ir.common.percent import percent
from assess.models import Assignment, Instance, Judgment, Pool, PostTask, Run
from assess.services.common.access import assignment_for
from assess.services.common.errors import Refused
from assess.services.judging import items
from assess.services.pool.content import Shown, shown
from assess.services.runs import runs


class Written(NamedTuple):
    """A written answer with what its assessor last said of it. ``number``: its 1-based place in this pass."""

    number: int
    shown: Shown
    said: PostTask | None


class Said(NamedTuple):
    """What a page sends: the replies, and the document about which they are, with the hash of its text."""

    machine: str
    unrelated: str
    instance_id: int
    content_hash: str


def written_of(assignment: Assignment) -> list[Written]:
    """The written answers of a topic in the assessor's order, five queries. Raises Http404 while something of the
    topic is not judged."""
    if not is_judged(items.states(assignment)):
        raise Http404
    return answers_of(assignment)


def is_judged(states: str) -> bool:
    return not set(states) & {items.OPEN, items.DEFERRED}


def written_in(assignment: Assignment) -> QuerySet[Instance]:
    return Instance.objects.filter(entry__in=assignment.order, kind=Instance.Kind.WRITTEN)


def waiting(assignment: Assignment) -> tuple[int, int]:
    """How many written answers there are, and of how many of them nothing is said; of a judged topic."""
    written = written_in(assignment)
    return written.count(), written.exclude(post_tasks__assignment=assignment).count()


def answers_of(assignment: Assignment) -> list[Written]:
    places = {entry: place for place, entry in enumerate(assignment.order)}
    instances = sorted(written_in(assignment), key=lambda one: places[one.entry_id])
    said = {one.instance_id: one for one in assignment.post_tasks.order_by("pk")}
    candidates = shown(assignment.round.pool.campaign, assignment.topic, instances)
    return [Written(number, one, said.get(one.instance.pk)) for number, one in enumerate(candidates, start=1)]


@transaction.atomic
def reply(pk: int, by: User, number: int, said: Said) -> list[Written]:
    """Keep what an assessor says of the answer with that number, the same again not twice; gives all as they are then.
    Raises Http404 where there is no such answer of theirs, Refused where the page held another answer or not both
    questions are answered."""
    assignment = assignment_for(by, pk, lock=True)
    found = written_of(assignment)
    if not 1 <= number <= len(found):
        raise Http404
    chosen = found[number - 1]
    instance = chosen.shown.instance
    if (said.instance_id, said.content_hash) != (instance.pk, instance.content_hash):
        raise Refused(_("The page was about another answer. Read this one first."))
    replies = {"machine": said.machine, "unrelated": said.unrelated}
    if not set(replies.values()) <= set(PostTask.Reply.values):
        raise Refused(_("Both questions need an answer."))
    if chosen.said is None or (chosen.said.machine, chosen.said.unrelated) != (said.machine, said.unrelated):
        kept = PostTask.objects.create(assignment=assignment, instance=instance, by=by, **replies)
        found[number - 1] = chosen._replace(said=kept)
    return found


class Reply(NamedTuple):
    """What the official assessor said of a written answer, with their grade or outcome."""

    topic_id: str
    doc_id: str
    machine: str
    unrelated: str
    decision: str


class Share(NamedTuple):
    """How many answers got each reply; the fraction counts those that could not be told as a no."""

    yes: int
    no: int
    cannot_tell: int

    @property
    def total(self) -> int:
        return sum(self)

    @property
    def percent(self) -> float | None:
        """Per cent of yes; None without replies."""
        return percent(self.yes, self.total) if self.total else None


class System(NamedTuple):
    """A run of written answers: how many it gave for the topics of the campaign, and the replies about them;
    ``crossed``: unrelated information by grade or outcome."""

    run: Run
    answers: int
    machine: Share
    unrelated: Share
    crossed: dict[str, Share]


class Report(NamedTuple):
    """All replies, how many written answers the pool holds, the systems, and over all answers the crossing."""

    replies: list[Reply]
    answers: int
    systems: list[System]
    crossed: dict[str, Share]

    @property
    def topics(self) -> int:
        return len({one.topic_id for one in self.replies})


def share(replies: Iterable[str]) -> Share:
    counts = Counter(replies)
    return Share(*(counts[reply] for reply in PostTask.Reply.values))


def crossed(replies: list[Reply]) -> dict[str, Share]:
    """Unrelated information by grade or outcome, each that was chosen."""
    decisions = sorted({one.decision for one in replies})
    return {decision: share(one.unrelated for one in replies if one.decision == decision) for decision in decisions}


def replies_of(pool: Pool) -> list[Reply]:
    """The latest of each official assessor about each written answer whose judgment stands."""
    official = {"assignment__round__pool": pool, "assignment__official": True}
    written = {"instance__kind": Instance.Kind.WRITTEN}
    judgments = Judgment.objects.filter(**official, **written).only("instance_id", "grade", "outcome")
    decisions = {one.instance_id: one.decision for one in judgments}
    rows = PostTask.objects.filter(**official).order_by("pk")
    fields = ("instance", "assignment__topic__topic_id", "instance__doc_id", "machine", "unrelated")
    latest = {row[0]: row[1:] for row in rows.values_list(*fields)}
    return sorted(
        Reply(topic_id, doc_id, machine, unrelated, decisions[instance])
        for instance, (topic_id, doc_id, machine, unrelated) in latest.items()
        if instance in decisions
    )


def report(pool: Pool) -> Report:
    """What the pass tells of a pool and its runs of written answers."""
    replies = replies_of(pool)
    by_answer = {(one.topic_id, one.doc_id): one for one in replies}
    written = pool.campaign.runs.filter(format=Run.Format.TASK3).select_related("ranking")
    answers = Instance.objects.filter(entry__pool=pool, kind=Instance.Kind.WRITTEN).count()
    return Report(replies, answers, [system(one, by_answer) for one in written], crossed(replies))


def system(run: Run, by_answer: dict[tuple[str, str], Reply]) -> System:
    given = list(runs.load(run).select("topic_id", "doc_id").iter_rows())
    replies = [by_answer[answer] for answer in given if answer in by_answer]
    machine, unrelated = (share(getattr(one, name) for one in replies) for name in ("machine", "unrelated"))
    return System(run, len(given), machine, unrelated, crossed(replies))


def not_relevant(by_decision: dict[str, Share], level: int) -> tuple[Share, Share]:
    """Of the answers by reply: those that are not relevant (outcomes count 0), and all."""
    poor = [one for decision, one in by_decision.items() if not decision.isdigit() or int(decision) < level]
    return together(poor), together(by_decision.values())


def together(shares: Iterable[Share]) -> Share:
    return Share(*map(sum, zip(Share(0, 0, 0), *shares, strict=True)))
