"""How far assessors agree with themselves, on documents that they judged again."""

from assess.ir.common.rows import JudgmentRow
from assess.ir.results.agreement import Comparisons, PairAgreement
from assess.models import Judgment, Pool, Round
from assess.services.judging.adjudication import independent

FIELDS = ("instance__entry__topic__topic_id", "instance__entry__unit_id", "instance__doc_id", "grade", "outcome")


def self_agreement(pool: Pool) -> dict[str, PairAgreement]:
    """For each assessor who judged documents again, by name: their judgments before against those of the repeat."""
    again = Judgment.objects.filter(assignment__round__pool=pool, assignment__round__kind=Round.Kind.REPEAT)
    documents = again.values("instance")
    rows = []
    for name, judgments in (("again", again), ("before", independent(pool).filter(instance__in=documents))):
        values = judgments.order_by("pk").values_list("assignment__assessor__username", *FIELDS)
        rows += [JudgmentRow(name, *row)._replace(round=assessor) for assessor, *row in values]
    pairs = Comparisons(rows, pool.rules.level).by("round") if rows else {}
    return {assessor: pair for assessor, (pair,) in pairs.items()}
