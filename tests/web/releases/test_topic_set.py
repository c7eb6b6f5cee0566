"""The page of the topic set: counts, the rule, and what organizers decide otherwise."""

import re
from typing import Any

import pytest

from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Campaign
from assess.services.releases import qrels
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import client_of, judge
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


def rows(cast: Cast, campaign: Campaign) -> list[tuple[Any, ...]]:
    shown = client_of(cast.olga).get(url_of("topic_set", campaign)).context["rows"]
    return [(row.topic.topic_id, *row.counts, row.kind) for row in shown]


def choose(cast: Cast, campaign: Campaign, kind: str, reason: str) -> Any:
    sent = {"topics": ["A.1"], "kind": kind, "reason": reason}
    return client_of(cast.olga).post(url_of("topic_set", campaign), sent)


@pytest.fixture
def judged(campaign: Campaign, cast: Cast) -> Campaign:
    """A.1 has one relevant answer; A.2 two. What is not official does not count."""
    pool = make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3", "12": "1", "21": "0", "99": "system_failure"})
    judge(make_assignment(pool, cast.ada, topic="A.2"), {"11": "2", "12": "2"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "3", "12": "3", "21": "3"})
    return campaign


def test_topics_are_counted_and_the_rule_removes_those_with_one_relevant_answer(judged: Campaign, cast: Cast) -> None:
    # judged, H+M, H+M+L, each by units and documents
    assert rows(cast, judged) == [("A.1", 3, 3, 1, 1, 2, 2, "removed"), ("A.2", 2, 2, 2, 2, 2, 2, "test")]
    page = client_of(cast.olga).get(url_of("topic_set", judged), {"topic_set": "", "kind": "removed"}).content.decode()
    assert re.findall(r'name="topics" value="([^"]+)"', page) == ["A.1"]
    assert "Difficulty" not in page  # no topic sheet was imported
    judged.topics.filter(topic_id="A.1").update(difficulty="High")
    assert "Difficulty" in text_of(client_of(cast.olga), "topic_set", judged)


def test_formulas_count_by_unit_and_by_instance() -> None:
    campaign = make_campaign("arqmath3-task2")
    cast = make_cast(campaign)
    judge(make_assignment(make_pool(campaign), cast.ada), {"110": "3", "120": "2", "210": "0", "220": "1"})
    assert rows(cast, campaign)[0] == ("B.1", 2, 4, 1, 2, 2, 3, "removed")


@pytest.mark.parametrize(
    ("kind", "topics"), [("test", {"A.1", "A.2"}), ("additional", {"A.1", "A.2"}), ("removed", {"A.2"}), ("", {"A.2"})]
)
def test_a_release_follows_what_organizers_decided(kind: str, topics: set[str], judged: Campaign, cast: Cast) -> None:
    choose(cast, judged, kind, "Kept for training")
    assert rows(cast, judged)[0][-1] == (kind or "removed")
    assert ("Kept for training" in text_of(client_of(cast.olga), "topic_set", judged)) is bool(kind)
    pool = judged.frozen_pool()
    release = qrels.release(pool, cast.olga, on_progress, ReleaseOptions(min_relevant=2))
    assert set(release.lines.values_list("topic_id", flat=True)) == topics
    assert qrels.topics_left_out(pool, 2) == sorted({"A.1", "A.2"} - topics)


@pytest.mark.parametrize(
    "sent", [{"topics": ["A.1"], "kind": "test"}, {"kind": "test", "reason": "x"}, {"topics": ["A.9"]}]
)
def test_a_kind_needs_topics_and_a_reason(sent: dict[str, Any], judged: Campaign, cast: Cast) -> None:
    assert client_of(cast.olga).post(url_of("topic_set", judged), sent).status_code == 422
    assert not judged.topics.exclude(kind="").exists()
