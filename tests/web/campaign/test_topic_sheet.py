"""The topic sheet on the page of topics."""

from typing import Any

import pytest

from assess.models import Campaign
from tests.cast import Cast
from tests.lab import client_as, client_of
from tests.web.organizer import file, text_of, url_of

pytestmark = pytest.mark.django_db

SHEET = "Topic,Category,Difficulty\nA.1,Proof,Low\nA.2,Concept,Low\n"


def upload(cast: Cast, campaign: Campaign, text: str, person: str | None = "olga") -> Any:
    sent = {"file": file("sheet.csv", text)}
    return client_as(cast, person).post(url_of("topic_sheet", campaign), sent)


def test_a_sheet_is_noted_with_its_topics(campaign: Campaign, cast: Cast) -> None:
    client = client_of(cast.olga)
    assert "<th>Category</th>" not in text_of(client, "topics", campaign)
    upload(cast, campaign, SHEET)
    page = text_of(client, "topics", campaign)
    assert ("<th>Category</th>" in page, page.count("<td>Proof</td>")) == (True, 1)
    topic = campaign.topics.get(topic_id="A.1")
    assert (topic.category, topic.difficulty, topic.dependency) == ("Proof", "Low", "")


def test_a_sheet_with_an_unknown_topic_changes_nothing(campaign: Campaign, cast: Cast) -> None:
    response = upload(cast, campaign, f"{SHEET}A.9,Proof,High\n")
    assert response.status_code == 422
    assert not campaign.topics.exclude(category="").exists()
    assert "A.9" in response.context["sheet"].errors.as_text()
