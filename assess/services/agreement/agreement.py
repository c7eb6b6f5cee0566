"""Agreement of assessors, as a frozen report."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from assess.ir.agreement.agreement import (
    Comparisons,
    PairAgreement,
    assessors,
    mean_over_pairs,
    mean_over_topics,
    with_least,
)
from assess.ir.agreement.kappa import WEIGHTED
from assess.ir.agreement.many_raters import many_raters
from assess.ir.common.rows import JudgmentRow
from assess.ir.releases.aggregation import judgments_of_units
from assess.models import AgreementReport, Campaign, Job, JudgmentEvent, Pool, Round, SecondOpinion
from assess.services.agreement import discussion
from assess.services.common.errors import Refused
from assess.services.jobs.job_queue import OnProgress
from assess.services.rounds.adjudication import independent

NOTHING_COMMON = "Nothing has been graded by two assessors yet"
COMPARED_WITH = dict.fromkeys(map(str, Round.OFFICIAL), str(Round.Kind.DUAL))
"""The judgments of dual rounds are compared with the official ones."""
OF_TOPIC = ("first", "second", "n", "agreement", "kappa", "kappa_hm", "note")


def changes_since(report: AgreementReport) -> int:
    """How many judgments of those that agreement compares were made, changed or taken back after the report, which
    shows them as they were."""
    events = JudgmentEvent.objects.filter(assignment__round__pool=report.pool_id, at__gt=report.created)
    events = events.exclude(assignment__round__kind=Round.Kind.ADJUDICATION)
    return events.values("assignment", "instance").distinct().count()


def judgment_rows(pool: Pool, *, official: bool = False) -> list[JudgmentRow]:
    """The judgments of a pool, or only those that make the qrels. Judgments of an assignment that was taken back count
    once the topic is assigned again. Settled grades are left out, because experts see the earlier judgments."""
    judgments = independent(pool)
    if official:
        judgments = judgments.filter(assignment__official=True)
    fields = judgments.order_by("pk").values_list(
        "assignment__assessor__username",
        "instance__entry__topic__topic_id",
        "instance__entry__unit_id",
        "instance__doc_id",
        "grade",
        "outcome",
        "assignment__round__kind",
        "changed",
    )
    return [JudgmentRow(*row[:6], COMPARED_WITH.get(row[6], row[6]), week_of(row[7])) for row in fields]


def week_of(moment: datetime) -> str:
    """The ISO week here, as in 2022-W07."""
    year, week, _ = timezone.localtime(moment).isocalendar()
    return f"{year}-W{week:02}"


def report(
    pool: Pool,
    on_progress: OnProgress,
    job: Job | None = None,
    influence: Mapping[str, Any] | None = None,
    opinions: Mapping[int, Any] | None = None,
) -> AgreementReport:
    """Agreement on the documents of a pool and, for formulas, on the visually distinct ones; ``influence`` and
    ``opinions``, the comparisons with sources by key, are kept with it. Raises Refused without judgments."""
    rows = judgment_rows(pool)
    if not rows:
        raise Refused("Nothing has been judged yet.")
    level, earlier = pool.rules.level, preparatory_rows(pool.campaign)
    on_progress(1, 3, "documents")
    documents = contents(rows, level, earlier)
    on_progress(2, 3, "visually distinct formulas")
    visual = {}
    if pool.campaign.is_formulas:
        formulas = {name: judgments_of_units(judged) for name, judged in earlier.items()}
        visual = contents(judgments_of_units(rows), level, formulas)
    with transaction.atomic():
        made = AgreementReport.objects.create(
            pool=pool, judgments=len(rows), job=job, visual=visual, influence=influence or {}, **documents
        )
        SecondOpinion.objects.bulk_create(
            SecondOpinion(report=made, source_id=source, rows=rows) for source, rows in (opinions or {}).items()
        )
    return made


def preparatory_rows(campaign: Campaign) -> dict[str, list[JudgmentRow]]:
    """The judgments of each qualification and training round, in order."""
    rounds = Round.objects.filter(pool__campaign=campaign, kind__in=Round.PREPARATORY).order_by("pk")
    return {str(round): discussion.judgment_rows(round) for round in rounds}


def contents(rows: Sequence[JudgmentRow], level: int, earlier: Mapping[str, Sequence[JudgmentRow]]) -> dict[str, Any]:
    """What a report has about one unit; ``earlier``: the judgments of the rounds before, which only count by round."""
    comparisons = Comparisons(rows, level)
    pairs, topics = comparisons.pairs(*WEIGHTED), comparisons.by("topic_id")
    by_topic = {topic: mean_over_pairs(graded) for topic, graded in topics.items()}
    means = {
        "pairs": mean_over_pairs(with_least(pairs, 1)),
        "topics": mean_over_topics(by_topic.values()),
        "by_topic": [{"topic": topic, "assessors": who(topics[topic])} | as_json(by_topic[topic]) for topic in topics],
        "by_round": [*in_groups(rounds_before(earlier, level)), *in_groups(comparisons.by("round"))],
        "by_week": list(in_groups(comparisons.by("week"))),
        "many_raters": many_raters(rows, level),
    }
    return {
        "pairs": as_json(pairs),
        "assessors": list(of_assessors(pairs)),
        "topics": list(of_topics(topics)),
        "means": as_json(means),
    }


def rounds_before(earlier: Mapping[str, Sequence[JudgmentRow]], level: int) -> dict[str, list[PairAgreement]]:
    """The pairs of each round with items that both graded, without rounds that have none."""
    rounds = {name: with_least(Comparisons(rows, level).pairs(), 1) for name, rows in earlier.items()}
    return {name: pairs for name, pairs in rounds.items() if pairs}


def of_assessors(pairs: Sequence[PairAgreement]) -> Iterator[dict[str, Any]]:
    """Each assessor's mean with the others, also ``weighted``: the mean of 4-way kappas with each kind of weights."""
    weighted = {weights: assessors(pairs, weights) for weights in WEIGHTED}
    for place, row in enumerate(assessors(pairs)):
        yield as_json(row) | {"weighted": {weights: rows[place].kappa for weights, rows in weighted.items()}}


def of_topics(topics: Mapping[str, Sequence[PairAgreement]]) -> Iterator[dict[str, Any]]:
    for topic, graded in topics.items():
        for pair in graded:
            yield {name: as_json(getattr(pair, name)) for name in OF_TOPIC} | {"topic": topic}


def in_groups(groups: Mapping[str, Sequence[PairAgreement]]) -> Iterator[dict[str, Any]]:
    """The mean of each round or week, with each assessor's mean with the others."""
    for name, pairs in groups.items():
        yield {"name": name, "assessors": as_json(assessors(pairs))} | as_json(mean_over_pairs(pairs))


def who(pairs: Sequence[PairAgreement]) -> list[str]:
    return sorted({name for pair in pairs for name in pair[:2]})


def figures_of(report: AgreementReport, unit: str) -> dict[str, Any]:
    """The report's figures for documents, or for visually distinct formulas if it has them."""
    if unit == "visual" and report.visual:
        return dict(report.visual)
    return {name: getattr(report, name) for name in ("pairs", "assessors", "topics", "means")}


def is_empty(report: AgreementReport) -> bool:
    """Whether no document has grades from two assessors."""
    return not any(pair["n"] for pair in report.topics)  # far fewer than its pairs: they have common documents


def as_json(value: Any) -> Any:
    """Rows as objects, also nested ones: a kappa is {value, reason, low, high}."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: as_json(part) for name, part in value.items()}
    return [as_json(part) for part in value] if isinstance(value, list) else value
