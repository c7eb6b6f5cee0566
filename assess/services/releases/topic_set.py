"""The topics of a campaign by what was judged of them: which make the test set, and its statistics, as the labs'
overview papers report them."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import grouped
from assess.ir.releases.aggregation import counted_level
from assess.ir.releases.release_options import KINDS, REMOVED, TEST
from assess.ir.scores.breakdowns import NOT_NOTED, Spread, highest_p10, order_categories, spread_of
from assess.models import Action, Campaign, Judgment, Pool, Topic
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.common.wording import listed
from assess.services.releases import derivation, qrels
from assess.services.releases.qrels import Graded


class Counts(NamedTuple):
    """Official grades of a topic: units and documents that have one; of these the relevant ones (``hm``: H+M in the
    labs), and all above 0 (``hml``)."""

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


def count_topics(campaign: Campaign, pool: Pool | None, known: Sequence[Graded] | None = None) -> list[TopicCounts]:
    """All topics, in a fixed number of queries; ``known``: the official grades, if they are. Units are those of the
    pool; the rule counts as a release does, under the current visual ids."""
    counted: dict[str, Counts] = {}
    kinds: dict[str, str] = {}
    if pool:
        grades, rules = qrels.official_grades(pool) if known is None else known, pool.rules
        relevant = counted_level(rules.rule_of_grades, rules.level)
        positive = min(value for value in rules.counted_values if value > 0)
        for topic_id, graded in grouped((row.topic_id, row) for row in grades).items():
            units = grouped((row.unit_id, row.grade) for row in graded)
            of_both = [*map(max, units.values())], [row.grade for row in graded]
            reached = [sum(grade >= least for grade in of) for least in (relevant, positive) for of in of_both]
            counted[topic_id] = Counts(*map(len, of_both), *reached)
        kinds = dict.fromkeys(qrels.topics_left_out(pool, rules.min_relevant, grades), REMOVED)
        kinds |= derivation.kinds_not_by_rule(pool)
    rows = []
    for topic in campaign.topics.all():
        counts = counted.get(topic.topic_id, Counts())
        kind = kinds.get(topic.topic_id, TEST) if counts.documents else ""
        rows.append(TopicCounts(topic, counts, topic.kind or kind, bool(topic.kind)))
    return rows


@transaction.atomic
def choose_kind(campaign: Campaign, topics: Sequence[str], kind: str, reason: str, by: User) -> Action:
    """Give topics a kind in place of the one by the rule, or return them to the rule (an empty kind). Releases made
    before stay as they are. Raises Refused for one without a reason."""
    if kind and not reason.strip():
        raise Refused("Give the reason for deciding against the rule.")
    reason = reason.strip() if kind else ""
    campaign.topics.filter(topic_id__in=topics).update(kind=kind, kind_reason=reason)
    action = f"Treated as {KINDS[kind].lower()}" if kind else "Treated by the rule"
    return history.note(by, action, campaign, [listed(topics)], reason=reason, page="topic_set")


class Statistics(NamedTuple):
    """Over the topics of the test set. ``spreads``: by topic, of units and, for formulas, of instances; ``highest``:
    possible P'@10; ``mean_seconds``, ``median_seconds``: of attention, over the official judgments that were timed;
    ``categories``: each category of the topic sheet with its number of topics, and how many documents have each
    official grade, the highest first."""

    topics: list[TopicCounts]
    removed: list[str]
    spreads: list[Spread]
    highest: float
    mean_seconds: float | None
    median_seconds: float | None
    categories: list[tuple[str | int, ...]]


def campaign_statistics(campaign: Campaign) -> Statistics | None:
    """None before a topic has a grade. In a fixed number of queries."""
    pool = campaign.frozen_pool()
    grades = qrels.official_grades(pool) if pool else []
    rows = count_topics(campaign, pool, grades)
    topics = [row for row in rows if row.kind == TEST]
    if pool is None or not topics:
        return None
    sizes = dict(pool.entries.order_by().values_list("topic").annotate(Count("pk")))
    pooled = {row.topic.topic_id: sizes.get(row.topic.pk, 0) for row in topics}
    relevant = {row.topic.topic_id: row.counts.hm_units for row in topics}
    removed = [row.topic.topic_id for row in rows if row.kind == REMOVED]
    words, rules = campaign.words, pool.rules
    spreads = [spread_of(f"Pooled {words.units}", pooled), *spreads_of(rules, topics, "units", words.units)]
    spreads += spreads_of(rules, topics, "documents", words.documents) if campaign.is_formulas else []
    timed = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True, active_ms__gt=0)
    times = list(timed.order_by().values_list("active_ms", flat=True))
    mean_seconds, median_seconds = (fmean(times) / 1000, median(times) / 1000) if times else (None, None)
    noted = {row.topic.topic_id: row.topic.category for row in topics}
    counts = Counter((noted[row.topic_id], row.grade) for row in grades if row.topic_id in noted)
    sizes = Counter(noted.values())
    categories: list[tuple[str | int, ...]] = [
        (category or NOT_NOTED, sizes[category], *(counts[category, grade] for grade in rules.counted_values))
        for category in order_categories(sizes)
    ]
    return Statistics(topics, removed, spreads, highest_p10(relevant), mean_seconds, median_seconds, categories)


def spreads_of(rules: Protocol, topics: list[TopicCounts], field: str, word: str) -> list[Spread]:
    positive = rules.label_from(rules.least_positive)
    names = {field: f"Judged {word}"} | ({f"hml_{field}": f"{positive} {word}"} if rules.partial_label else {})
    names |= {f"hm_{field}": f"{rules.relevant_label} {word}"}
    return [
        spread_of(name[0].upper() + name[1:], {row.topic.topic_id: getattr(row.counts, count) for row in topics})
        for count, name in names.items()
    ]
