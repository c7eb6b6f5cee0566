"""The desk with settings that nobody has saved yet, and what its script is told of a lab's scale."""

import json
from typing import Any

import pytest

from assess.ir.campaign.presets import load_presets
from assess.models import Campaign
from assess.web.desk import labels
from tests.cast import Cast, make_campaign, make_pool
from tests.lab import client_of
from tests.web.campaign.test_campaign_rules import edited, make_lab
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


def preview(campaign: Campaign, cast: Cast, **changes: object) -> Any:
    return client_of(cast.olga).post(url_of("settings_desk", campaign), edited(campaign, **changes))


def test_it_shows_what_is_entered_and_stores_nothing(cast: Cast) -> None:
    web = make_lab("documents")
    before, row = web.protocol, {"grades-4-value": "-2", "grades-4-name": "Spam", "grades-4-key": "x"}
    answer = preview(web, cast, question="is it good?", word_document="page", **row)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert [
        word for word in ("Is it good?", "Spam", "Page</h2>", "[&quot;-2&quot;, &quot;x&quot;]") if word not in page
    ] == []
    web.refresh_from_db()
    assert web.protocol == before


def test_what_is_refused_is_shown_on_the_form_and_a_frozen_pool_shows_its_own_desk(cast: Cast) -> None:
    web = make_lab("documents")
    answer = preview(web, cast, level=9)
    assert answer.status_code == 422
    assert f'action="{url_of("campaign_edit", web)}">' in answer.content.decode()  # where it can be saved
    assert "choose 3 or 2 or 1" in answer.context["form"].errors["level"][0]
    make_pool(frozen := make_campaign())
    assert "Other question" not in preview(frozen, cast, question="Other question").content.decode()


@pytest.mark.parametrize(
    ("preset", "topics"), [("documents", 0), ("passages", 1), ("arqmath3-task1", 1), ("arqmath3-task2", 0)]
)
def test_it_needs_neither_topics_nor_documents(preset: str, topics: int, cast: Cast) -> None:
    campaign = make_campaign(preset, topics=topics)
    page = text_of(client_of(cast.olga), "settings_desk", campaign)
    assert campaign.rules.grades[0].name in page
    assert ("A sample topic" in page) == (not topics)
    assert "This text stands for what your assessors will read." in page


def test_the_script_has_grades_with_keys_and_outcomes_and_with_threads_that_of_not_matching() -> None:
    rules = load_presets()["documents"]
    scale = json.loads(labels.scale(rules))
    assert scale["grades"] == [["3", ""], ["2", ""], ["1", ""], ["0", ""]]
    assert scale["outcomes"] == [["system_failure", "needed"], ["do_not_know", "needed"]]
    assert scale["hasThreads"] is False
    for preset in ("arqmath3-task1", "arqmath3-task2"):
        assert dict(json.loads(labels.scale(load_presets()[preset]))["outcomes"])["not_matching"] == "asked"
