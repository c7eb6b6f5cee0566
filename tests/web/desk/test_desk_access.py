"""Who gets to the judging desk, its preview and the guidelines, and what must not be seen there."""

import pytest
from django.test import Client

from assess.models import Assignment, Deferral, Judgment
from assess.services.rounds import assignments
from tests.cast import Cast
from tests.desk import JSON, keyless, place_of, press, sent, url

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
