"""What the judging desk saves, refuses and keeps, and where it leads next."""

import pytest

from assess.models import Judgment, JudgmentEvent, Topic
from assess.services import judging
from tests.desk import decisions, place_of, sent, url

pytestmark = pytest.mark.django_db


def test_a_grade_is_saved_and_the_next_open_place_follows(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "11"), sent(mine, "11", d11="3"))
    assert response.status_code == 303
    judgment = Judgment.objects.get()
    assert (judgment.instance.doc_id, judgment.grade, judgment.active_ms) == ("11", 3, 1500)
    next_open = judging.first_open(mine, judging.finished_entries(mine), place_of(mine, "11"))
    assert response.url == f"/judge/{mine.pk}/{next_open}/"
    assert b"Saved" in client.get(response.url).content


def test_after_the_last_place_the_list_says_so(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    for unit in ("11", "12", "21"):
        client.post(url(mine, unit), sent(mine, unit, **{f"d{unit}": "0"}))
    response = client.post(url(mine, "99"), sent(mine, "99", d99=("system_failure", "no text")), follow=True)
    assert response.redirect_chain == [(f"/judge/{mine.pk}/", 303)]
    assert "All 4 judged. Thank you." in response.content.decode()


@pytest.mark.parametrize("outcome", ["system_failure", "do_not_know"])
def test_an_outcome_without_its_comment_is_refused_and_nothing_typed_is_lost(client, formulas, outcome):
    people, mine = formulas
    client.force_login(people.ada)
    data = sent(mine, "v1", d110=outcome, d120=("2", "same up to a constant"), d210="1")
    response = client.post(url(mine, "v1"), data)
    assert response.status_code == 422
    html = response.content.decode()
    assert "needs a comment that says why" in html
    assert "same up to a constant</textarea>" in html
    assert html.count(" checked") == 3
    assert decisions(mine) == {}


def test_a_comment_without_a_decision_is_asked_about_not_dropped(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "11"), sent(mine, "11", d11=("", "hm")))
    assert response.status_code == 422
    assert "choose a grade, or clear the comment" in response.content.decode()


def test_a_post_left_open_stays_open(client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    client.post(url(mine, "v1"), sent(mine, "v1", d110="3", d210="not_matching"))
    assert decisions(mine) == {"110": "3", "210": "not_matching"}  # 120 left open
    client.post(url(mine, "v2"), sent(mine, "v2", d220="0"))
    response = client.get(f"/judge/{mine.pk}/")
    assert response.context["first_open"] == place_of(mine, "v1")


def test_the_last_place_left_partly_open_is_shown_again(client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    client.post(url(mine, "v2"), sent(mine, "v2", d220="0"))
    response = client.post(url(mine, "v1"), sent(mine, "v1", d110="3"))
    assert response.url == url(mine, "v1")


def test_saving_nothing_asks_for_a_grade(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "11"), sent(mine, "11"))
    assert response.status_code == 422
    assert "Choose a grade first" in response.content.decode()


@pytest.mark.parametrize(("go", "address"), [("list", "/judge/{}/"), ("home", "/")])
def test_leaving_the_desk_keeps_what_was_decided(client, answers, go, address):
    people, mine = answers
    client.force_login(people.ada)
    assert f'data-go="{go}" href="{address.format(mine.pk)}"' in client.get(url(mine, "11")).content.decode()
    response = client.post(url(mine, "11"), {**sent(mine, "11", d11="1"), "go": go})
    assert response.url == address.format(mine.pk)
    assert decisions(mine) == {"11": "1"}


@pytest.mark.parametrize(("go", "step"), [("next", 1), ("previous", -1)])
def test_going_on_keeps_what_was_decided(client, answers, go, step):
    people, mine = answers
    client.force_login(people.ada)
    unit = next(u for u in ("11", "12", "21", "99") if place_of(mine, u) == 2)
    response = client.post(url(mine, unit), {**sent(mine, unit, **{f"d{unit}": "1"}), "go": go})
    assert response.url == f"/judge/{mine.pk}/{2 + step}/"
    assert decisions(mine) == {unit: "1"}


def test_a_changed_judgment_keeps_its_history(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    client.post(url(mine, "11"), sent(mine, "11", d11="3"))
    client.post(url(mine, "11"), sent(mine, "11", d11=("do_not_know", "thread is ambiguous")))
    assert decisions(mine) == {"11": "do_not_know"}
    history = list(JudgmentEvent.objects.values_list("by__username", "old_decision", "decision", "active_ms"))
    assert history == [("ada", "", "3", 1500), ("ada", "3", "do_not_know", 1500)]


def test_a_judgment_of_another_text_is_refused(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    data = sent(mine, "11", d11="3")
    Topic.objects.filter(pk=mine.topic_id).update(title="Another question")
    response = client.post(url(mine, "11"), {**data, next(k for k in data if "hash" in k): "0" * 64})
    assert response.status_code == 422
    assert "another text than the pool holds" in response.content.decode()
    assert decisions(mine) == {}


def test_a_word_that_is_no_grade_is_refused(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "11"), sent(mine, "11", d11="not_matching"))  # for formulas only
    assert response.status_code == 422
    assert decisions(mine) == {}


def test_a_save_takes_few_queries(client, answers, django_assert_num_queries):
    people, mine = answers
    client.force_login(people.ada)
    data = sent(mine, "11", d11="3")
    with django_assert_num_queries(17):
        client.post(url(mine, "11"), data)
