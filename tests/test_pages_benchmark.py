"""The benchmark of the organizers' pages: that it opens all of them, and that a limit which is not kept shows."""

import pytest
from django.test import Client

from benchmarks import pages, scores
from tests.real import data_file

pytestmark = pytest.mark.sqlite


@pytest.mark.django_db
def test_every_page_of_a_campaign_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    data_file("posts/Posts.xml")
    monkeypatch.setattr(scores, "RUNS", scores.TEAMS)
    measured = pages.pages(client := Client(), campaign := pages.make(pages.Size(2, 5, 2, 1)), 1)
    client.force_login(campaign.members.get(role="organizer").user)
    names = {page.name for page in measured}
    assert {"campaign", "topics", "pool", "assignments", "progress", "releases", "topic_judgments"} <= names
    assert {
        "agreement_report",
        "disagreements",
        "document_history",
        "evaluation",
        "evaluation_run",
        "evaluation_significance",
        "history",
        "round",
        "rounds",
        "statistics",
    } <= names
