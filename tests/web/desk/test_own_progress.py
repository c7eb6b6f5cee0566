"""Own progress, on the start page, in the list and on the desk."""

from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from assess.models import Assignment, JudgmentEvent
from tests import cast
from tests.desk import press, texts_of, url
from tests.lab import judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def under_way(client: Client) -> Assignment:
    """ada has judged A.1 but for one answer and one answer of A.2, for two minutes each."""
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    pool = cast.make_pool(campaign)
    assignment, second = (cast.make_assignment(pool, people.ada, topic=topic) for topic in ("A.1", "A.2"))
    judge(assignment, {"11": "1", "12": "1", "21": "2"}, 120_000)
    judge(second, {"11": "1", "12": "1"}, 120_000)
    client.force_login(people.ada)
    return assignment


def text_of(client: Client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


def test_pages_say_what_is_left_and_the_minutes_of_today(client: Client, under_way: Assignment) -> None:
    html = text_of(client, "/")
    assert "1 left, about 2 min" in html
    assert "2 left, about 4 min" in html
    assert "2 left, about 4 min" in text_of(client, under_way.topic.campaign.get_absolute_url())
    emmy = User.objects.get(username="emmy")  # whose time is not ada's
    judge(cast.make_assignment(under_way.round.pool, emmy, kind="dual"), {"11": "1"}, 3_000_000)
    for address in (f"/judge/{under_way.pk}/", url(under_way, "99")):
        html = text_of(client, address)
        assert "about 2 min left" in html
        assert "10 min today" in html
    press(client, under_way, "99", "0")
    newer = cast.make_campaign(name="Newer")
    judge(cast.make_assignment(cast.make_pool(newer), cast.make_cast(newer).ada), {"11": "1"})
    html = text_of(client, f"/judge/{under_way.pk}/")
    assert texts_of(html, "//span[@hidden][span[@id='left']]") == ["0 left"]
    assert "Next topic: A.2, 2 left </a>" in html  # of the same campaign
    judge(Assignment.objects.get(topic__topic_id="A.2"), {"21": "2", "99": "0"})
    assert "Next topic: A.1, 3 left (Newer) </a>" in text_of(client, f"/judge/{under_way.pk}/")


def test_today_is_that_of_the_browsers_time_zone_or_else_of_the_servers(client: Client, under_way: Assignment) -> None:
    now = timezone.now()
    zones = [ZoneInfo("Etc/GMT+12"), ZoneInfo("Etc/GMT-14")]  # 26 hours apart: at least one day began earlier
    midnights = {zone.key: now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0) for zone in zones}
    (late, _), (early, begun) = sorted(midnights.items(), key=lambda zone: zone[1], reverse=True)
    first = JudgmentEvent.objects.order_by("pk").first()
    JudgmentEvent.objects.filter(pk=first.pk).update(at=begun)
    for zone, minutes in ((late, 8), (early, 10)):
        client.cookies["zone"] = zone
        assert f"{minutes} min today" in text_of(client, url(under_way, "99"))
    JudgmentEvent.objects.filter(pk=first.pk).update(at=now)
    for unknown in ("Nowhere/At_all", "../../etc/passwd", "", "America"):
        client.cookies["zone"] = unknown
        assert "10 min today" in text_of(client, url(under_way, "99")), unknown
