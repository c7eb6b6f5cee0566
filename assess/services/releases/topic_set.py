"""The topics of a campaign by what was judged of them: which make the test set."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Q

from assess.ir.releases.retention import KINDS, REMOVED, TEST
from assess.models import Campaign, Pool, Topic
from assess.services.common.errors import Refused
from assess.services.releases import derivation, qrels
from assess.services.releases.grades import official_grades

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
    rows = official_grades(pool).values_list("assignment__topic")
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


def topic_set(campaign: Campaign, pool: Pool | None) -> list[TopicCounts]:
    """All topics, in a fixed number of queries. The rule counts as a release does, under the current visual ids."""
    counts = counts_by_topic(pool) if pool else {}
    thin = set(qrels.left_out(pool, pool.rules.min_relevant)) if pool else set()
    other = derivation.kinds_not_by_rule(pool) if pool else {}
    kinds = dict.fromkeys(thin, REMOVED) | other
    return [row_of(topic, counts.get(topic.pk, Counts()), kinds) for topic in campaign.topics.all()]


def row_of(topic: Topic, counts: Counts, kinds: Mapping[str, str]) -> TopicCounts:
    """``kinds``: of the topics that are not test topics."""
    if topic.kind:
        return TopicCounts(topic, counts, topic.kind, True)
    kind = kinds.get(topic.topic_id, TEST)
    return TopicCounts(topic, counts, kind if counts.documents else "", False)


@transaction.atomic
def choose(campaign: Campaign, topics: Iterable[str], kind: str, reason: str) -> int:
    """Give topics a kind in place of the one by the rule, or return them to the rule (an empty kind); how many these
    are. Releases made before stay as they are. Raises Refused for an unknown kind, or one without a reason."""
    if kind and kind not in KINDS:
        raise Refused(f"{kind!r} is not a kind of topic.")
    if kind and not reason.strip():
        raise Refused("Give the reason for deciding against the rule.")
    chosen = campaign.topics.filter(topic_id__in=list(topics))
    return chosen.update(kind=kind, kind_reason=reason.strip() if kind else "")
