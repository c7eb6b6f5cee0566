"""An assessor's own pace, and the minutes of today."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assess.models import Assignment, Judgment, JudgmentEvent
from assess.services.rounds import pace, progress
from tests import cast
from tests.lab import judge

pytestmark = [pytest.mark.django_db, pytest.mark.engines]

NOON = datetime(2022, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def two() -> list[Assignment]:
    """ada's assignments of A.1 and A.2, of four answers each; emmy has both in the dual round."""
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    pool = cast.make_pool(campaign)
    for topic in ("A.1", "A.2"):
        cast.make_assignment(pool, people.emmy, topic=topic, kind="dual")
    return [cast.make_assignment(pool, people.ada, topic=topic) for topic in ("A.1", "A.2")]


def timed(assignment: Assignment, *seconds: int) -> None:
    """Judges documents in these times, the latest last."""
    for minute, (document, duration) in enumerate(zip(("11", "12", "21", "99"), seconds, strict=False)):
        judge(assignment, {document: "1"}, duration * 1000)
        judgment = Judgment.objects.filter(assignment=assignment, instance__doc_id=document)
        judgment.update(changed=NOON + timedelta(minutes=minute))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pace is that of the last three judgments; two are enough."""
    monkeypatch.setattr(pace, "LAST", 3)
    monkeypatch.setattr(pace, "ENOUGH", 2)


@pytest.mark.usefixtures("few")
def test_the_pace_is_the_median_of_ones_own_last_judgments_in_the_campaign(two: list[Assignment]) -> None:
    campaign = two[0].topic.campaign_id
    timed(two[0].round.pool.rounds.get(kind="dual").assignments.first(), 1, 2)  # emmy's
    other = cast.make_campaign(name="Other lab")
    elsewhere = cast.make_assignment(cast.make_pool(other), two[0].assessor)
    timed(elsewhere, 1, 2)
    judge(two[1], {"11": "1", "12": "1"}, 0)  # imported: no times
    assert pace.own_pace(two) == {}
    timed(two[0], 500, 10, 30, 20)  # 500: too long ago
    assert pace.own_pace([*two, elsewhere]) == {campaign: 20, other.pk: 1.5}


@pytest.mark.usefixtures("few")
def test_what_is_left_is_counted_in_documents(two: list[Assignment]) -> None:
    timed(two[0], 10, 20)
    own = progress.of_assessor(two)
    assert (own[0].left, own[0].seconds_left) == (2, 30)
    assert own[1].seconds_left == 60
    judge(two[0], {"21": "1", "99": "1"})
    assert progress.of_assessor(two)[0].seconds_left is None  # all judged


@pytest.mark.usefixtures("few")
def test_instances_of_a_formula_count_as_documents_left() -> None:
    campaign = cast.make_campaign("arqmath3-task2")
    people = cast.make_cast(campaign)
    assignment = cast.make_assignment(cast.make_pool(campaign), people.ada)  # v1 of three, v2 of one
    judge(assignment, {"110": "1", "120": "1"}, 4000)
    [own] = progress.of_assessor([assignment])
    assert (own.judged, own.total, own.documents_left, own.seconds_left) == (0, 2, 2, 8)


def test_a_pace_needs_five_judgments(two: list[Assignment]) -> None:
    timed(two[0], 10, 20, 30, 40)
    assert pace.own_pace(two) == {}
    timed(two[1], 50)
    assert pace.own_pace(two) == {two[0].topic.campaign_id: 30}


def test_today_begins_at_midnight_where_the_assessor_is(two: list[Assignment]) -> None:
    # At noon in London it is 8:00 in New York, whose day began at 4:00 in London, and 21:00 in Tokyo.
    judge(two[0].round.pool.rounds.get(kind="dual").assignments.first(), {"11": "1"}, 600_000)  # emmy's
    judge(two[0], {"11": "1", "12": "1", "21": "1"}, 65_000)
    for zone, minutes, times in (
        ("UTC", 2, (-13, -11, -9)),
        ("America/New_York", 3, (-7, -5, -3)),
        ("Asia/Tokyo", 0, (-23, -22, -21.5)),
    ):
        for event, hours in zip(JudgmentEvent.objects.filter(by=two[0].assessor), times, strict=True):
            JudgmentEvent.objects.filter(pk=event.pk).update(at=NOON + timedelta(hours=hours))
        assert pace.minutes_of_day(two[0].assessor, NOON, ZoneInfo(zone)) == minutes, zone
