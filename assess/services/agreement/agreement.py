"""Agreement of assessors, and with judgments made elsewhere, as a frozen report."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from assess.ir.agreement.agreement import (
    Comparisons,
    PairAgreement,
    mean_by_assessor,
    mean_over_pairs,
    mean_over_topics,
)
from assess.ir.agreement.kappa import WEIGHTED, many_raters
from assess.ir.common.rows import JudgmentRow, Scale, SourceRow, grouped
from assess.ir.releases.aggregation import SUM, counted_rows, judgments_of_units, settle
from assess.models import AgreementReport, Instance, Job, JudgmentEvent, JudgmentSource, Pool, Round, SecondOpinion
from assess.models.job import OnProgress
from assess.services.agreement import discussion
from assess.services.common.errors import Refused
from assess.services.pool import judgment_sources
from assess.services.rounds import adjudication

NOTHING_COMMON = "Nothing has been graded by two assessors yet"
COMPARED_WITH = dict.fromkeys(map(str, Round.OFFICIAL), str(Round.Kind.DUAL))
"""The judgments of dual rounds are compared with the official ones."""
OF_TOPIC = ("first", "second", "n", "agreement", "kappa", "kappa_hm", "note")


def changes_since(report: AgreementReport) -> int:
    """How many judgments of those that agreement compares were made, changed or taken back after the report."""
    events = JudgmentEvent.objects.filter(assignment__round__pool=report.pool_id, at__gt=report.created)
    events = events.exclude(assignment__round__kind=Round.Kind.ADJUDICATION)
    return events.values("assignment", "instance").distinct().count()


def judgment_rows(pool: Pool, *, official: bool = False, with_weeks: bool = True) -> list[JudgmentRow]:
    """The judgments of a pool, or only those that make the qrels, those of the first assessors first. Judgments of an
    assignment that was taken back count once the topic is assigned again. Settled grades are left out, because experts
    see the earlier judgments."""
    judgments = adjudication.independent_judgments(pool).order_by("pk")
    if official:
        judgments = judgments.filter(assignment__official=True).order_by("assignment__seat", "pk")
    columns = (*discussion.COLUMNS, "outcome", "assignment__round__kind")
    if not with_weeks:  # they take half of the time
        return [JudgmentRow(*[*row, COMPARED_WITH.get(kind, kind)]) for *row, kind in judgments.values_list(*columns)]
    return [
        JudgmentRow(*[*row, COMPARED_WITH.get(kind, kind), f"{timezone.localtime(changed):%G-W%V}"])
        for *row, kind, changed in judgments.values_list(*columns, "changed")
    ]


def topics_judged_twice(pool: Pool) -> int:
    """How many topics have a document that more than one assessor graded."""
    graded = adjudication.independent_judgments(pool).filter(grade__isnull=False).order_by()
    judged = graded.values("instance").annotate(judges=Count("assignment__assessor", distinct=True))
    twice = Instance.objects.filter(pk__in=judged.filter(judges__gt=1).values("instance"))
    return twice.values("entry__topic").distinct().count()


def official_judgments(pool: Pool, *, on_scale: bool = False) -> list[JudgmentRow]:
    """What counts of each document as things are now: its official judgment; if the protocol has several, the grade
    that an expert settled, else that by its rule. ``on_scale``: sums of two, which are not on the scale, become the
    judgment of the first."""
    rows, rule = judgment_rows(pool, official=True, with_weeks=False), pool.rules.rule_of_grades
    if rule:
        settled = adjudication.settled_grades(pool)
        rows = [settle(row, settled) for row in rows]
    return counted_rows(rows, "first" if rule == SUM and on_scale else rule, pool.rules.level)


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
    preparatory = Round.objects.filter(pool__campaign=pool.campaign, kind__in=Round.PREPARATORY).order_by("pk")
    earlier = {str(round): discussion.rows_before_discussion(round) for round in preparatory}
    on_progress(1, 3, "documents")
    documents = figures(rows, pool.rules.scale, earlier)
    visual = {}
    if pool.campaign.is_formulas:
        on_progress(2, 3, "visually distinct formulas")
        formulas = {name: judgments_of_units(judged) for name, judged in earlier.items()}
        visual = figures(judgments_of_units(rows), pool.rules.scale, formulas)
    with transaction.atomic():
        made = AgreementReport.objects.create(
            pool=pool, judgments=len(rows), job=job, visual=visual, influence=influence or {}, **documents
        )
        SecondOpinion.objects.bulk_create(
            SecondOpinion(report=made, source_id=source, rows=rows) for source, rows in (opinions or {}).items()
        )
    return made


def figures(rows: Sequence[JudgmentRow], scale: Scale, earlier: Mapping[str, Sequence[JudgmentRow]]) -> dict[str, Any]:
    """What a report has about one unit; ``earlier``: the judgments of the rounds before, which only count by round."""
    relevant = scale.relevant
    comparisons = Comparisons(rows, scale)
    pairs, topics = comparisons.common_pairs(*WEIGHTED), comparisons.by("topic_id")
    names = comparisons.assessors if len(comparisons.assessors) > 1 else []
    before = {name: Comparisons(judged, scale).common_pairs() for name, judged in earlier.items()}
    by_topic = {topic: mean_over_pairs(graded, relevant=relevant) for topic, graded in topics.items()}
    means = {
        "pairs": mean_over_pairs(pairs, relevant=relevant),
        "topics": mean_over_topics(by_topic.values(), relevant),
        "by_topic": [
            {"topic": topic, "assessors": sorted({name for pair in topics[topic] for name in pair[:2]})} | as_json(mean)
            for topic, mean in by_topic.items()
        ],
        "by_round": means_of_groups([*before.items(), *comparisons.by("round").items()], relevant),
        "by_week": means_of_groups(comparisons.by("week").items(), relevant),
        "many_raters": many_raters(rows, scale),
    }
    weighted = {weights: mean_by_assessor(pairs, weights, names=names) for weights in WEIGHTED}
    return {
        "pairs": as_json(pairs),
        "assessors": [
            as_json(row) | {"weighted": {weights: of_all[at].kappa for weights, of_all in weighted.items()}}
            for at, row in enumerate(mean_by_assessor(pairs, relevant=relevant, names=names))
        ],
        "topics": [
            {name: as_json(getattr(pair, name)) for name in OF_TOPIC} | {"topic": topic}
            for topic, graded in topics.items()
            for pair in graded
        ],
        "means": as_json(means),
    }


def means_of_groups(groups: Iterable[tuple[str, Sequence[PairAgreement]]], relevant: str) -> list[dict[str, Any]]:
    """The mean of each round or week with pairs, with each assessor's mean with the others."""
    return [
        {"name": name, "assessors": as_json(mean_by_assessor(pairs, relevant=relevant))}
        | as_json(mean_over_pairs(pairs, relevant=relevant))
        for name, pairs in groups
        if pairs
    ]


def figures_of(report: AgreementReport, unit: str) -> dict[str, Any]:
    """The report's figures for documents, or for visually distinct formulas if it has them."""
    if unit == "visual" and report.visual:
        return dict(report.visual)
    return {name: getattr(report, name) for name in ("pairs", "assessors", "topics", "means")}


def as_json(value: Any) -> Any:
    """Rows as objects, also nested ones: a kappa is {value, reason, low, high}."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: as_json(part) for name, part in value.items()}
    return [as_json(part) for part in value] if isinstance(value, list) else value


ASSESSOR, SOURCE = "assessor", "source"
OFFICIAL = ""
"""Stands for the official judgments among the names of assessors; no user has this name."""
OF_PAIR = ("n", "agreement", "kappa", "kappa_hm", "prevalence", "confusion", "note")


def compare_sources(pool: Pool, sources: Iterable[JudgmentSource]) -> dict[int, dict[str, Any]]:
    """For each source, by key: ``judges``, a row for the official judgments and for each assessor with items that the
    source has judged, too; ``topics``, a row for each topic over the official judgments. Formulas are compared as the
    source judged them, by instance or visual id. In ``confusion``, columns are the source's grades."""
    if not (chosen := list(sources)):
        return {}
    compared, scale = {}, pool.rules.scale
    every = judgment_rows(pool), official_judgments(pool, on_scale=True)
    for source in chosen:
        is_of_units = source.items == JudgmentSource.Items.UNIT
        rows, official = map(judgments_of_units, every) if is_of_units else every
        others = {(row.topic_id, row.item_id): row for row in judgment_sources.combined_rows(source)}
        groups = {OFFICIAL: list(official), **grouped((row.assessor, row) for row in rows)}
        judges = compare_groups("who", groups, others, scale, "round")
        topics = compare_groups("topic", {OFFICIAL: groups[OFFICIAL]}, others, scale, "topic_id")
        compared[source.pk] = {"judges": judges, "topics": topics}
    return compared


def compare_groups(
    name: str,
    groups: Mapping[str, Iterable[JudgmentRow]],
    others: Mapping[tuple[str, str], SourceRow],
    scale: Scale,
    by: str,
) -> list[dict[str, Any]]:
    """The judgments of each group against the source: by group (``round``) or by topic, if both graded anything."""
    pairs: list[JudgmentRow] = []
    for group, rows in groups.items():
        for row in rows:
            if other := others.get((row.topic_id, row.doc_id)):
                pairs.append(row._replace(assessor=ASSESSOR, round=group))
                pairs.append(row._replace(assessor=SOURCE, round=group, grade=other.grade, outcome=other.outcome))
    compared = Comparisons(pairs, scale).by(by) if pairs else {}
    return [{name: key} | {part: as_json(getattr(pair, part)) for part in OF_PAIR} for key, (pair,) in compared.items()]
