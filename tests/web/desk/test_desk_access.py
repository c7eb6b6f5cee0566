"""Who gets to the judging desk, its preview and the guidelines, and what must not be seen there; the desk with settings
that nobody has saved yet, and what its script is told of a lab's scale."""

import json
from typing import Any

import pytest
from django.test import Client

from assess.ir.campaign.presets import load_presets
from assess.models import Assignment, Campaign, Deferral, Judgment
from assess.services.rounds import assignments
from assess.web.desk import labels
from tests.cast import Cast, make_campaign, make_pool
from tests.desk import JSON, keyless, place_of, press, sent, url
from tests.lab import client_of
from tests.web.campaign.test_campaign_rules import edited, make_lab
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("headers", [{}, JSON])
def test_only_the_assessor_saves(client: Client, answers: Assignment, headers: dict[str, str], people: Cast) -> None:
    for user in (people.emmy, people.olga, people.kurt, people.mallory):
        client.force_login(user)
        assert client.post(url(answers, "11"), sent(answers, "11", "0"), headers=headers).status_code == 404
        assert client.post(f"{url(answers, '11')}defer/", headers=headers).status_code == 404
    assert not Judgment.objects.exists()
    assert not Deferral.objects.exists()


def test_there_is_no_place_beyond_the_order_and_none_for_who_left_the_campaign(
    ada: Client, answers: Assignment, people: Cast
) -> None:
    for place in (0, 5):
        assert ada.get(f"/judge/{answers.pk}/{place}/").status_code == 404
        assert ada.get(f"/judge/{answers.pk}/items/?place={place}").status_code == 404
        assert ada.post(f"/judge/{answers.pk}/{place}/defer/").status_code == 404
    people.ada.memberships.all().delete()
    assert ada.get(f"/judge/{answers.pk}/1/").status_code == 404


def test_preview_shows_what_assessor_sees_and_cannot_save(client: Client, answers: Assignment, people: Cast) -> None:
    client.force_login(people.ada)
    seen = client.get(url(answers, "11"))
    client.force_login(people.olga)
    address = f"/c/{answers.topic.campaign.slug}/preview/{answers.pk}/{place_of(answers, '11')}/"
    preview = client.get(address)
    assert [post["body"] for post in preview.context["posts"]] == [post["body"] for post in seen.context["posts"]]
    assert 'class="controls" method="post" action="" inert' in preview.content.decode()
    assert client.post(address, sent(answers, "11", "0")).status_code == 405


def test_only_administrators_find_the_administration(client: Client, answers: Assignment, people: Cast) -> None:
    assert client.get("/admin/login/").status_code == 200  # to sign in
    client.force_login(people.ada)
    assert client.get("/admin/", follow=True).status_code == client.get("/admin/login/").status_code == 404
    assert client.post("/admin/login/", {"username": "olga", "password": "x"}).status_code == 404
    client.force_login(people.olga)  # staff
    assert client.get("/admin/").status_code == 200


def test_assessors_see_no_votes_runs_or_judgments_of_others(client: Client, answers: Assignment, people: Cast) -> None:
    instances = answers.round.pool.entries.get(topic=answers.topic, unit_id="11").instances
    instances.update(votes=0.131313, runs=1_987_654_321)
    dual = assignments.assign_topic(answers.round.pool, answers.topic, people.emmy, "dual")
    client.force_login(people.emmy)
    press(client, dual, "11", "do_not_know", comment="emmy's secret")
    client.force_login(people.ada)
    items = f"/judge/{answers.pk}/items/?place=1&place=2&place=3&place=4"
    for address in ("/", f"/judge/{answers.pk}/", url(answers, "11"), items, f"/c/{answers.topic.campaign.slug}/"):
        html = keyless(client.get(address).content.decode())
        assert "csrfmiddlewaretoken" not in html
        for secret in ("0.13", "987654321", "987,654,321", "emmy"):
            assert secret not in html, (address, secret)
        for word in ("votes", "reciprocal", "rank"):
            assert word not in html.lower(), (address, word)


def test_the_script_of_a_page_is_answered_to_its_person_only(client: Client, answers: Assignment, people: Cast) -> None:
    """Whoever has signed in instead, in the same browser, is named, and nothing is said of what was asked for."""
    client.force_login(people.emmy)
    of_ada, page_of = [{**JSON, "X-Page-Of": str(person.pk)} for person in (people.ada, people.emmy)]
    address = url(answers, "11")
    refused = [
        client.post(address, sent(answers, "11", "3"), headers=of_ada),
        client.post(f"{address}defer/", headers=of_ada),
        client.get(f"/judge/{answers.pk}/items/?place=1", headers=of_ada),
        client.get("/judge/999/items/?place=1", headers=of_ada),
    ]
    assert {(page.status_code, page.content, page.headers["X-Signed-In"]) for page in refused} == {(403, b"", "emmy")}
    assert client.get(f"/judge/{answers.pk}/items/?place=1", headers=page_of).status_code == 404
    assert client.get("/login/", headers=of_ada).status_code == 200
    client.force_login(people.ada)
    assert client.post(address, sent(answers, "11", "3"), headers=of_ada).status_code == 200
    client.logout()
    assert client.post(address, sent(answers, "11", "2"), headers=of_ada)["Location"].startswith("/login/")
    assert Judgment.objects.get().grade == 3
    people.emmy.username = "łucja"  # which no header can hold
    people.emmy.save()
    client.force_login(people.emmy)
    assert client.get("/judge/1/items/", headers=of_ada).headers["X-Signed-In"] == "%C5%82ucja"


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
