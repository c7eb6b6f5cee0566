"""How far a pool is that people judge."""

import pytest

from assess.models import Assignment, Pool
from assess.services import pipeline
from assess.services.rounds import assignments
from assess.services.rounds.progress import overview
from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.lab import decide, judge

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def progress_of(pool: Pool) -> pipeline.PoolProgress:
    """What the queries and the view of a pool agree on."""
    counted, view = pipeline.progress_of(pool), overview(pool)
    assert (view.is_going_on, view.whole.judged) == (counted.is_going_on, counted.main.judged)
    return counted


@pytest.mark.parametrize("preset", ["arqmath3-task1", "arqmath3-task2"])
def test_progress_counts_what_is_given_and_judged(preset: str) -> None:
    campaign = make_campaign(preset)
    cast, pool = make_cast(campaign), make_pool(campaign)
    documents = [*overview(pool).topics[0].topic.entries.values_list("instances__doc_id", flat=True)]
    assert (progress_of(pool).assigned, progress_of(pool).is_going_on) == (0, False)
    first = make_assignment(pool, cast.ada)
    judge(first, dict.fromkeys(documents[:2], "1"))
    judge(make_assignment(pool, cast.kurt, kind="dual"), dict.fromkeys(documents[:3], "2"))
    assert (progress_of(pool).assigned, progress_of(pool).dual, progress_of(pool).main.judged) == (1, 1, 2)
    assignments.hand_over_topic(first, cast.emmy, cast.olga)
    assignments.take_back_assignments([Assignment.objects.get(assessor=cast.emmy)], cast.olga)
    assert (progress_of(pool).assigned, progress_of(pool).is_going_on) == (0, False)
    judge(make_assignment(pool, cast.emmy), dict.fromkeys(documents[2:], "0"))
    assert (progress_of(pool).assigned, progress_of(pool).is_going_on) == (1, False)
    assert (progress_of(pool).main.judged, progress_of(pool).main.untouched) == (4, 1)
    last = make_assignment(pool, cast.ada, topic=campaign.topics.all()[1].topic_id)
    assert (progress_of(pool).assigned, progress_of(pool).is_going_on) == (2, True)
    assignments.take_back_assignments([last], cast.olga)
    decide(last, documents[0], "1")  # it waited in its assessor's browser
    assert (progress_of(pool).assigned, progress_of(pool).main.judged) == (1, 4)
