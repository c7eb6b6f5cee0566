"""The grades that count in a pool as it is now."""

from django.db.models import QuerySet

from assess.models import Judgment, Pool


def official_grades(pool: Pool) -> QuerySet[Judgment]:
    """The official judgments with a grade, in no order."""
    official = Judgment.objects.filter(assignment__round__pool=pool, assignment__official=True, grade__isnull=False)
    return official.order_by()
