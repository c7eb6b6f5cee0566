"""What the judging desk saves, refuses and keeps, and where it leads next; for a browser without scripts and with."""

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from assess.models import Assignment, Judgment, JudgmentEvent, Post, Topic
from assess.services.desk import documents, rulings
from assess.services.rounds import assignments
from tests.cast import Cast, make_cast
from tests.desk import JSON, decisions_of, place_of, press, send, sent, texts_of, unit_at, url

pytestmark = pytest.mark.django_db


def test_a_grade_is_saved_leads_to_the_next_open_place_and_can_be_taken_back(ada: Client, answers: Assignment) -> None:
    response = press(ada, answers, "11", "3")
    assert response.status_code == 303
    judgment = Judgment.objects.get()
    assert (judgment.instance.doc_id, judgment.grade, judgment.active_ms) == ("11", 3, 1500)
    next_open = documents.first_open(documents.states(answers), place_of(answers, "11"))
    assert response.url == f"/judge/{answers.pk}/{next_open}/"
    assert b"Saved" in ada.get(response.url).content
    response = press(ada, answers, "11", "")
    assert response.url == url(answers, "11")
    assert b"Taken back" in ada.get(response.url).content
    assert decisions_of(answers) == {}


def test_what_was_typed_is_not_lost_when_it_is_refused(ada: Client, answers: Assignment) -> None:
    Topic.objects.filter(pk=answers.topic_id).update(title="Another question")
    response = press(ada, answers, "11", "3", comment="same up to a constant", content_hash="0" * 64)
    assert (response.status_code, "same up to a constant</textarea>" in response.content.decode()) == (422, True)


def test_what_cannot_be_kept_is_refused_with_the_reason(ada: Client, answers: Assignment) -> None:
    needs, neither = "needs a comment that says why", "neither a grade nor an outcome here"
    wrong: list[tuple[dict[str, str], str]] = [
        ({"word": "do_not_know"}, needs),
        ({"word": "system_failure", "comment": " \0 "}, needs),
        *(({"word": word}, neither) for word in ("not_matching", "4", "²")),  # the first is for formulas only
        ({"content_hash": "0" * 64}, "another text than the pool holds"),
        ({"content_hash": ""}, "content_hash"),
        ({"instance": "x"}, "instance"),
        ({"key": "k" * 37}, "key"),
        ({"active_ms": "-1"}, "active_ms"),
        ({"rulings": "x"}, "rulings"),
    ]
    for change, why in wrong:
        for headers in ({}, JSON):
            response = ada.post(url(answers, "11"), sent(answers, "11", "3") | change, headers=headers)
            assert (response.status_code, why in response.content.decode()) == (422, True), change
    assert decisions_of(answers) == {}


def test_an_old_page_does_not_overwrite_what_was_decided_since(ada: Client, answers: Assignment) -> None:
    old = sent(answers, "11", "0")
    press(ada, answers, "11", "3", comment="found it")
    response = ada.post(url(answers, "11"), old)
    assert (response.status_code, "judged in another window" in response.content.decode()) == (422, True)
    answer = ada.post(url(answers, "11"), old, headers=JSON)
    standing = answer.json()["standing"]
    assert (answer.status_code, standing["word"], standing["comment"]) == (409, "3", "found it")
    assert decisions_of(answers) == {"11": "3"}
    later = sent(answers, "11", "1")
    press(ada, answers, "11", "")
    assert "taken back in another window" in ada.post(url(answers, "11"), later).content.decode()


def test_a_sign_that_no_database_takes_is_left_out(ada: Client, answers: Assignment) -> None:
    for unit, headers in [("11", {}), ("12", JSON)]:
        data = sent(answers, unit, "3", comment="two lines")
        for name in ("comment", "key", "after", "word", "content_hash"):
            data[name] = f"\0{data[name]}\0"
        response = ada.post(url(answers, unit), data, headers=headers)
        assert response.status_code == (200 if headers else 303)
    assert [(row.comment, "\0" in row.key) for row in Judgment.objects.all()] == [("two lines", False)] * 2


def test_a_judgment_is_kept_whatever_place_its_page_names_and_no_page_is_shown_as_it_was(
    ada: Client, answers: Assignment
) -> None:
    assert ada.post(f"/judge/{answers.pk}/99/", sent(answers, "11", "3")).status_code == 303
    assert decisions_of(answers) == {"11": "3"}
    for address in (url(answers, "11"), f"/judge/{answers.pk}/"):
        assert "no-store" in ada.get(address)["Cache-Control"]


def test_a_topic_taken_back_keeps_what_arrives_and_brings_no_further_item(ada: Client, answers: Assignment) -> None:
    data = [sent(answers, unit, "2", want=place_of(answers, "21")) for unit in ("11", "12")]
    refused = sent(answers, "21", "do_not_know")  # without a comment
    assert "closed" not in send(ada, answers, "99", "", want=1).json()
    assignments.take_back_assignments([Assignment.objects.get(pk=answers.pk)], make_cast().olga)
    answer = ada.post(url(answers, "11"), data[0], headers=JSON).json()
    assert answer == {"standing": {"word": "2", "comment": "", "passage": "", "key": data[0]["key"]}, "closed": True}
    response = ada.post(url(answers, "12"), data[1])
    assert (response.status_code, response["Location"]) == (303, "/")
    assert "This topic is paused or no longer yours. Your judgments are kept." in ada.get("/").content.decode()
    response = ada.post(url(answers, "21"), refused)
    assert (response.status_code, response["Location"]) == (303, "/")
    assert "needs a comment that says why" in ada.get("/").content.decode()
    assert decisions_of(answers) == {"11": "2", "12": "2"}


def test_a_broken_item_hides_no_save_and_keeps_no_others_back(
    ada: Client, answers: Assignment, caplog: pytest.LogCaptureFixture
) -> None:
    Post.objects.filter(post_id="12").update(thread_id="")  # has no address
    answer = send(ada, answers, "11", "2", want=place_of(answers, "12"))
    assert (answer.status_code, "item" in answer.json()) == (200, False)
    assert answer.json()["standing"]["word"] == "2"
    assert "NoReverseMatch" in caplog.text
    assert f"place {place_of(answers, '12')} of assignment {answers.pk}" in caplog.text
    places = [place_of(answers, unit) for unit in ("11", "12", "21")]
    loaded = ada.get(f"/judge/{answers.pk}/items/", {"place": places}).json()["items"]
    assert [item["place"] for item in loaded] == [places[0], places[2]]
    assert ada.get(f"/judge/{answers.pk}/items/", {"place": places[1]}).json()["items"] == []


def test_page_and_script_count_the_rulings(ada: Client, answers: Assignment, people: Cast) -> None:
    rulings.store_ruling(answers.topic, people.olga, "Proofs by picture count.")
    html = ada.get(url(answers, "11")).content.decode()
    assert f'data-news="/judge/{answers.pk}/news/" data-rulings="1"' in html
    assert '<input type="hidden" name="rulings" value="1">' in html
    rulings.store_ruling(answers.topic, people.olga, "So do tables.")
    assert ada.get(f"/judge/{answers.pk}/news/").json()["version"] == 2
    press(ada, answers, "11", "3", rulings=1)  # from the page as it was
    send(ada, answers, "12", "3", rulings=2)
    send(ada, answers, "21", "3", rulings=9)  # more than there are
    send(ada, answers, "99", "3")  # from a page of an earlier release
    stamps = [event.guide.rpartition(".")[2] for event in JudgmentEvent.objects.all()]
    assert stamps == ["1", "2", "2", "2"]


def test_the_script_gets_what_stands_and_the_item_it_wants(ada: Client, answers: Assignment) -> None:
    data = sent(answers, "11", "2", want=place_of(answers, "12"))
    answer = ada.post(url(answers, "11"), data, headers=JSON).json()
    assert answer["standing"] == {"word": "2", "comment": "", "passage": "", "key": data["key"]}
    assert answer["item"]["place"] == place_of(answers, "12")
    assert "Answer 12 says" in answer["item"]["html"]
    assert "item" not in send(ada, answers, "12", "2", want=5).json()  # there are four
    again = send(ada, answers, "11", "3", want=place_of(answers, "11")).json()
    assert f'name="after" value="{again["standing"]["key"]}"' in again["item"]["html"]  # it knows of the save


def test_an_item_put_off_comes_back_after_all_others(ada: Client, answers: Assignment) -> None:
    response = ada.post(f"/judge/{answers.pk}/1/defer/", {"defer": "yes"})
    assert response["Location"] == f"/judge/{answers.pk}/2/"
    assert ada.post(f"/judge/{answers.pk}/2/defer/", headers=JSON).json() == {}
    assert documents.states(answers) == "ddoo"
    html = ada.get(f"/judge/{answers.pk}/1/").content.decode()
    assert "Stop deferring" in html
    assert ada.post(f"/judge/{answers.pk}/2/defer/", {"defer": "no"})["Location"] == f"/judge/{answers.pk}/2/"
    assert documents.states(answers) == "dooo"


def test_to_defer_does_not_leave_the_list_that_the_item_was_opened_from(ada: Client, answers: Assignment) -> None:
    press(ada, answers, unit_at(answers, 2), "3")
    address = f"/judge/{answers.pk}/1/defer/?show=open"
    assert address in ada.get(f"/judge/{answers.pk}/1/?show=open").content.decode()
    assert ada.post(address, {"defer": "yes"})["Location"] == f"/judge/{answers.pk}/3/?show=open"
    address = f"/judge/{answers.pk}/1/defer/?show=deferred"
    assert ada.post(address, {"defer": "no"})["Location"] == f"/judge/{answers.pk}/1/?show=deferred"


def test_only_what_is_not_judged_can_be_deferred(ada: Client, answers: Assignment) -> None:
    for word, is_hidden in (("3", True), ("", False)):
        press(ada, answers, "11", word)
        html = ada.get(url(answers, "11")).content.decode()
        assert texts_of(html, "//button[@name='defer'][@value='yes'][@hidden]") == ["Defer"] * is_hidden


def test_saving_needs_the_token_of_the_site(answers: Assignment, people: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.ada)
    assert client.post(url(answers, "11"), sent(answers, "11", "3"), headers=JSON).status_code == 403
    assert decisions_of(answers) == {}


def test_a_save_takes_few_queries(
    ada: Client, answers: Assignment, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    data = sent(answers, "11", "3", want=place_of(answers, "12"))
    # Session, user, assignment, savepoint, lock, documents with judgments, event, judgment, release; the next post.
    address = url(answers, "11")
    with django_assert_num_queries(10):
        ada.post(address, data, headers=JSON)


@pytest.mark.django_db(transaction=True)
def test_a_next_item_that_cannot_be_read_does_not_hinder_the_save(ada: Client, answers: Assignment) -> None:
    address, data = url(answers, "11"), sent(answers, "11", "3", want=place_of(answers, "12"))
    rename = "ALTER TABLE assess_post RENAME COLUMN {} TO {}"
    with connection.cursor() as cursor:
        cursor.execute(rename.format("body", "text"))
    try:
        answer = ada.post(address, data, headers=JSON)
    finally:
        with connection.cursor() as cursor:
            cursor.execute(rename.format("text", "body"))
    assert (answer.status_code, answer.json().get("item")) == (200, None)
    assert decisions_of(answers) == {"11": "3"}
