"""Agreement of assessors, as a frozen report."""

from typing import Any

from django.db import transaction

from assess.ir.common.rows import JudgmentRow
from assess.ir.results import agreement
from assess.ir.results.kappa import WEIGHTED
from assess.models import AgreementReport, Job, Judgment, Pool
from assess.services.common.errors import Refused
from assess.services.jobs.job_queue import OnProgress

NOTHING_COMMON = "Nothing has been graded by two assessors yet"


def judgment_rows(pool: Pool, *, official: bool = False, least: int | None = None) -> list[JudgmentRow]:
    """The judgments of a pool, or only those that make the qrels, or have at least a grade. Judgments of an assignment
    that was taken back count once the topic is assigned again."""
    judgments = Judgment.objects.filter(instance__entry__pool=pool, assignment__closed=None)
    if official:
        judgments = judgments.filter(assignment__official=True)
    if least is not None:
        judgments = judgments.filter(grade__gte=least)
    fields = judgments.order_by("pk").values_list(
        "assignment__assessor__username",
        "instance__entry__topic__topic_id",
        "instance__entry__unit_id",
        "instance__doc_id",
        "grade",
        "outcome",
    )
    return [JudgmentRow(*row) for row in fields]


def report(pool: Pool, on_progress: OnProgress, job: Job | None = None) -> AgreementReport:
    """Kappas of all pairs, of each assessor with the others, and by topic. Raises Refused without judgments."""
    rows = judgment_rows(pool)
    if not rows:
        raise Refused("Nothing has been judged yet.")
    on_progress(1, 3, "pairs of assessors")
    comparisons = agreement.Comparisons(rows, pool.rules.level)
    pairs = comparisons.pairs(*WEIGHTED)
    on_progress(2, 3, "topics")
    topics = [
        as_json(pair) | {"topic": topic} for topic, graded in comparisons.by("topic_id").items() for pair in graded
    ]
    with transaction.atomic():
        return AgreementReport.objects.create(
            pool=pool,
            judgments=len(rows),
            pairs=[as_json(pair) for pair in pairs],
            assessors=[as_json(assessor) for assessor in agreement.assessors(pairs)],
            topics=topics,
            job=job,
        )


def is_empty(report: AgreementReport) -> bool:
    """Whether no document has grades from two assessors."""
    return not any(pair["n"] for pair in report.pairs)


def as_json(row: Any) -> Any:
    """A row as an object, and so the rows in it: a kappa is {value, reason, low, high}."""
    if hasattr(row, "_asdict"):
        row = row._asdict()
    return {name: as_json(value) for name, value in row.items()} if isinstance(row, dict) else row
