"""The board of topics and assessors: how far each assignment is, and which ones have stopped."""

from datetime import datetime, timedelta

from assess.models import Round
from assess.services.rounds.progress import AssignmentProgress, Overview, TopicProgress, by_assessor
from assess.services.rounds.tallies import Pace

STOPPED_AFTER = timedelta(days=7)
"""An assignment in which nothing has been judged for so long has stopped."""


def is_stopped(share: AssignmentProgress, now: datetime) -> bool:
    return share.idle_since is not None and now - share.idle_since >= STOPPED_AFTER


def stopped(view: Overview, now: datetime) -> list[AssignmentProgress]:
    idle = [share for share in view.shares if is_stopped(share, now)]
    return sorted(idle, key=lambda share: share.idle_since or now)


def unassigned(view: Overview) -> list[TopicProgress]:
    """The topics without an assessor while somebody still judges others for the qrels."""
    return [topic for topic in view.topics if not topic.main and topic.pace.left] if view.is_going_on else []


def in_round(view: Overview, round: Round) -> Overview:
    """The part of a view that is of one round: its assignments with their topics, people and judgments. The main round
    also has the topics that nobody has, and all documents of its topics."""
    topics = []
    for topic in view.topics:
        own = [share for share in topic.assignments if share.assignment.round_id == round.pk]
        if own or (round.kind == Round.Kind.MAIN and not topic.official):
            pace = topic.pace if round.kind in Round.OFFICIAL else Pace.of(share.pace for share in own)
            topics.append(topic._replace(pace=pace, assignments=own))
    shares = [share for topic in topics for share in topic.assignments]
    whole = Pace.of((share.pace for share in shares), sum(topic.pace.total for topic in topics))
    return Overview(view.pool, whole, topics, by_assessor(shares))
