"""The topics of a campaign by what was judged of them: which make the test set."""

from collections.abc import Sequence
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q

from assess.ir.releases.retention import KINDS, REMOVED, TEST
from assess.models import Action, Campaign, Pool, Topic
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.common.wording import listed
from assess.services.releases import derivation, qrels

HIGH_OR_MEDIUM, RELEVANT_AT_ALL = 2, 1


class Counts(NamedTuple):
    """Official grades of a topic: units and documents that have one; of these H+M, and H+M+L."""

    units: int = 0
    documents: int = 0
    hm_units: int = 0
    hm_documents: int = 0
    hml_units: int = 0
    hml_documents: int = 0


class TopicCounts(NamedTuple):
    """A topic with its counts, and its kind: empty before anything is judged. ``is_chosen``: by the organizers."""

    topic: Topic
    counts: Counts
    kind: str
    is_chosen: bool


def counts_by_topic(pool: Pool) -> dict[int, Counts]:
    """One query; units are those of the pool."""
    rows = qrels.official_grades(pool).values_list("assignment__topic")
    hm, hml = Q(grade__gte=HIGH_OR_MEDIUM), Q(grade__gte=RELEVANT_AT_ALL)
    counted = rows.annotate(
        units=Count("instance__entry", distinct=True),
        documents=Count("pk"),
        hm_units=Count("instance__entry", distinct=True, filter=hm),
        hm_documents=Count("pk", filter=hm),
        hml_units=Count("instance__entry", distinct=True, filter=hml),
        hml_documents=Count("pk", filter=hml),
    )
    return {topic: Counts(*numbers) for topic, *numbers in counted}


def count_topics(campaign: Campaign, pool: Pool | None) -> list[TopicCounts]:
    """All topics, in a fixed number of queries. The rule counts as a release does, under the current visual ids."""
    counts: dict[int, Counts] = {}
    kinds: dict[str, str] = {}
    if pool:
        counts = counts_by_topic(pool)
        kinds = dict.fromkeys(qrels.topics_left_out(pool, pool.rules.min_relevant), REMOVED)
        kinds |= derivation.kinds_not_by_rule(pool)
    rows = []
    for topic in campaign.topics.all():
        of_topic = counts.get(topic.pk, Counts())
        kind = kinds.get(topic.topic_id, TEST) if of_topic.documents else ""
        rows.append(TopicCounts(topic, of_topic, topic.kind or kind, bool(topic.kind)))
    return rows


@transaction.atomic
def choose_kind(campaign: Campaign, topics: Sequence[str], kind: str, reason: str, by: User) -> Action:
    """Give topics a kind in place of the one by the rule, or return them to the rule (an empty kind). Releases made
    before stay as they are. Raises Refused for an unknown kind, or one without a reason."""
    if kind and kind not in KINDS:
        raise Refused(f"{kind!r} is not a kind of topic.")
    if kind and not reason.strip():
        raise Refused("Give the reason for deciding against the rule.")
    reason = reason.strip() if kind else ""
    campaign.topics.filter(topic_id__in=topics).update(kind=kind, kind_reason=reason)
    action = f"Treated as {KINDS[kind].lower()}" if kind else "Treated by the rule"
    return history.note(by, action, campaign, [listed(topics)], reason=reason, page="topic_set")
