"""Assessors' questions and rulings: on the desk, in the list and on the organizers' page."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import ERROR
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from assess.models import Assignment, Question, Ruling, RulingSeen
from assess.services.judging import assignments, rulings
from tests import cast
from tests.desk import JSON, keyless, place_of, press, url

pytestmark = pytest.mark.django_db


def page(client: Client, user: User, address: str, **more: str) -> str:
    client.force_login(user)
    response = client.get(address, more)
    assert response.status_code == 200
    return " ".join(keyless(response.content.decode()).replace("\xa0", " ").split())


def asked(client: Client, assignment: Assignment, unit: str = "11", text: str = "May I use Lean?", **more: Any) -> Any:
    client.force_login(assignment.assessor)
    return client.post(f"{url(assignment, unit)}ask/", {"text": text}, **more)


def test_a_question_shows_at_its_item_until_it_is_answered(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    response = asked(client, assignment)
    assert (response.status_code, response.url) == (303, url(assignment, "11"))
    question = Question.objects.get()
    Question.objects.update(at=timezone.now() - timedelta(hours=2))
    here = f'<p class="asked small" data-place="{place_of(assignment, "11")}">Asked 2 hours ago, no answer yet: '
    assert f"{here}<q>May I use Lean?</q>" in page(client, people.ada, url(assignment, "11"))
    assert f'data-place="{place_of(assignment, "11")}" hidden' in page(client, people.ada, url(assignment, "12"))
    rulings.answer(assignment.topic.campaign, question.pk, people.olga, "Yes, it counts.")
    for unit in ("11", "12"):
        html = page(client, people.ada, url(assignment, unit))
        assert "no answer yet" not in html
        assert "You asked: <q>May I use Lean?</q>" in html
        assert "<p>Yes, it counts.</p>" in html


X_SQUARED = "<msup><mi>x</mi><mn>2</mn></msup>"


def test_formulas_in_questions_and_rulings_are_rendered_everywhere(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    questions = f"/c/{assignment.topic.campaign.slug}/questions/"
    here, topic = url(assignment, "11"), f"/judge/{assignment.pk}/"
    asked(client, assignment, text="Is $x^2$ <b>low</b>?")
    for user, address in ((people.ada, here), (people.olga, questions)):
        html = page(client, user, address)
        assert X_SQUARED in html
        assert "&lt;b&gt;low&lt;/b&gt;" in html
    ruling = rulings.answer(assignment.topic.campaign, Question.objects.get().pk, people.olga, "$$x^2+1$$ is medium.")
    rulings.change(assignment.topic.campaign, ruling.pk, people.olga, "$x^2$ is high.")
    now = Ruling.objects.get(supersedes=ruling)
    counts = {here: 3, topic: 1, f"{topic}?before={now.pk}": 1}  # with the question and the words before
    assert {address: page(client, people.ada, address).count(X_SQUARED) for address in counts} == counts
    assert page(client, people.olga, questions).count(X_SQUARED) == 4  # with question and answer


def test_a_script_asks_and_fetches_what_is_new(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    assert asked(client, assignment, headers=JSON).json() == {"detail": ""}
    assert asked(client, assignment, text=" ", headers=JSON).status_code == 422
    rulings.rule(assignment.topic, people.olga, "Proofs by picture count.")
    parts = client.get(f"/judge/{assignment.pk}/news/?place={place_of(assignment, '11')}").json()
    assert "Proofs by picture count." in parts["rulings"]
    assert f'<p class="asked small" data-place="{place_of(assignment, "11")}">' in parts["rulings"]
    assert ">1 new ruling</a>" in parts["ruled"]
    assert '<span id="left">4</span> left' in parts["own"]


def test_the_bar_counts_new_rulings_until_they_are_seen(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    address = url(assignment, "11")
    assert "new ruling" not in page(client, people.ada, address)
    first = rulings.rule(assignment.topic, people.olga, "Hints are low.")
    second = rulings.rule(assignment.topic, people.olga, "Pictures count.")
    html = page(client, people.ada, address)
    assert f'<span id="ruled" role="status"><a href="#ruling-{second.pk}">2 new rulings</a>' in html
    assert f'<li id="ruling-{second.pk}"' in html
    client.post(f"/judge/{assignment.pk}/rulings/{second.pk}/seen/")
    assert f'<a href="#ruling-{first.pk}">1 new ruling</a>' in page(client, people.ada, address)
    client.post(f"/judge/{assignment.pk}/rulings/{first.pk}/seen/")
    assert "new ruling" not in page(client, people.ada, address)
    preview = f"/c/{assignment.topic.campaign.slug}/preview/{assignment.pk}/1/"
    assert "new ruling" not in page(client, people.olga, preview)


def test_impossible_numbers_and_characters_are_ignored(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    client.force_login(people.ada)
    endless = "9" * 5000
    assert client.post(f"/judge/{assignment.pk}/1/ask/", {"text": "W\0hy?", "instance": endless}).status_code == 303
    kept = Question.objects.get()
    assert (kept.text, kept.instance) == ("Why?", None)
    ruling = rulings.rule(assignment.topic, people.olga, "Because.")
    response = client.post(f"/judge/{assignment.pk}/rulings/{ruling.pk}/seen/", {"place": endless})
    assert response["Location"] == f"/judge/{assignment.pk}/"
    assert client.get(f"/judge/{assignment.pk}/", {"before": endless, "q": "\0", "show": "\0"}).status_code == 200
    assert client.get(f"/judge/{assignment.pk}/news/", {"place": endless}).status_code == 200


def test_an_assessor_reviews_what_they_judged_before_a_ruling(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    client.force_login(people.ada)
    press(client, assignment, "11", "3")
    press(client, assignment, "12", "0")
    ruling = rulings.rule(assignment.topic, people.olga, "Proofs by picture count.")
    html = page(client, people.ada, url(assignment, "21"))
    address = f"/judge/{assignment.pk}/?before={ruling.pk}"
    assert f'<a href="{address}">Review 2 ' in html
    rows = client.get(address).context["rows"]
    assert {row.place for row in rows} == {place_of(assignment, "11"), place_of(assignment, "12")}
    response = client.post(f"/judge/{assignment.pk}/rulings/{ruling.pk}/seen/", {"place": place_of(assignment, "21")})
    assert (response.status_code, response["Location"]) == (303, url(assignment, "21"))
    html = page(client, people.ada, url(assignment, "21"))
    assert "Proofs by picture count." in html
    assert "?before=" not in html
    assert '<span class="badge running">new</span>' not in html
    assert client.post(f"/judge/{assignment.pk}/rulings/{ruling.pk}/seen/", headers=JSON).json() == {}


@pytest.mark.parametrize("place", ["", "0", "5", "x"])
def test_marking_a_ruling_in_the_list_leads_back_to_it(client: Client, answers: cast.Judging, place: str) -> None:
    people, assignment = answers
    ruling = rulings.rule(assignment.topic, people.olga, "Yes.")
    client.force_login(people.ada)
    response = client.post(f"/judge/{assignment.pk}/rulings/{ruling.pk}/seen/", {"place": place})
    assert response["Location"] == f"/judge/{assignment.pk}/"


def test_only_the_assessor_of_a_topic_can_ask_and_read_there(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    ruling = rulings.rule(assignment.topic, people.olga, "Yes.")
    theirs = assignment.round.assignments.get(assessor=people.emmy)  # of another topic
    elsewhere = rulings.rule(theirs.topic, people.olga, "No.")
    gets = [f"/judge/{assignment.pk}/news/", f"/judge/{assignment.pk}/?before={ruling.pk}"]
    posts = [f"/judge/{assignment.pk}/1/ask/", f"/judge/{assignment.pk}/rulings/{ruling.pk}/seen/"]
    for user in (None, people.emmy, people.olga, people.kurt, people.mallory):
        if user:
            client.force_login(user)
        for answer in [*map(client.get, gets), *(client.post(post, {"text": "Why?"}) for post in posts)]:
            assert answer.status_code == (404 if user else 302), user
    client.force_login(people.ada)
    for address in posts:
        assert client.get(address).status_code == 405
    assert client.get(f"/judge/{assignment.pk}/?before={elsewhere.pk}").status_code == 404
    assert client.post(f"/judge/{assignment.pk}/rulings/{elsewhere.pk}/seen/").status_code == 404
    assert client.post(f"/judge/{assignment.pk}/9/ask/", {"text": "Why?"}).status_code == 404
    assert not Question.objects.exists()
    assert not RulingSeen.objects.exists()


def test_only_organizers_read_questions_and_make_rulings(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    asked(client, assignment)
    ruling = rulings.rule(assignment.topic, people.olga, "Yes.")
    home = f"/c/{assignment.topic.campaign.slug}/questions/"
    question = Question.objects.get()
    posts = [f"{home}rule/", f"{home}{question.pk}/answer/", f"{home}rulings/{ruling.pk}/"]
    client.logout()
    assert client.get(home)["Location"].startswith("/login/")
    for user, status in [(people.ada, 403), (people.kurt, 403), (people.mallory, 404)]:
        client.force_login(user)
        for answer in [client.get(home), *(client.post(post, {"text": "No.", "topic": "A.1"}) for post in posts)]:
            assert answer.status_code == status, user
    assert Ruling.objects.get() == ruling


def test_assessors_see_neither_who_asked_nor_who_else_judges(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    theirs = assignments.assign(assignment.round.pool, assignment.topic, people.emmy, "dual")
    asked(client, theirs, text="Is 11 spam?")
    news = f"/judge/{assignment.pk}/news/?place={place_of(assignment, '11')}"
    for address in (url(assignment, "11"), f"/judge/{assignment.pk}/", news):
        assert "spam" not in page(client, people.ada, address)
    rulings.answer(assignment.topic.campaign, Question.objects.get().pk, people.olga, "Judge it as it stands.")
    for address in (url(assignment, "11"), f"/judge/{assignment.pk}/"):
        html = page(client, people.ada, address)
        assert "Judge it as it stands." in html
        for secret in ("spam", "emmy", "olga"):
            assert secret not in html


def test_an_organizer_answers_changes_and_adds_rulings(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    asked(client, assignment)
    asked(client, assignment, "12", "Do hints count?")
    home = f"/c/{assignment.topic.campaign.slug}/questions/"
    html = page(client, people.olga, home)
    assert 'Questions <span class="badge queued" title="Open">2</span>' in html
    assert f"/c/{assignment.topic.campaign.slug}/preview/{assignment.pk}/{place_of(assignment, '12')}/" in html
    lean, hints = Question.objects.order_by("pk")
    client.post(f"{home}{hints.pk}/answer/", {"text": "Hints are low."})
    shown = client.get(home).context["rows"]
    assert [(row.question, row.question.ruling) for row in shown] == [(lean, None), (hints, Ruling.objects.get())]
    for state, questions in {"open": [lean], "answered": [hints], "nonsense": [lean, hints]}.items():
        assert [row.question for row in client.get(home, {"show": state}).context["rows"]] == questions
    client.post(f"{home}rulings/{Ruling.objects.get().pk}/", {"text": "Hints are medium."})
    client.post(f"{home}rule/", {"topic": "A.2", "text": "Look at part b, too."})
    html = page(client, people.olga, home)
    assert "Earlier versions (1)" in html
    (first, second) = client.get(home).context["rulings"]
    assert (first.ruling.text, [ruling.text for ruling in first.earlier]) == ("Hints are medium.", ["Hints are low."])
    assert (second.ruling.topic.topic_id, second.seen, second.judges) == ("A.2", 0, 1)
    rulings.look_again(assignment.pk, people.ada, first.ruling.pk)
    assert client.get(home).context["rulings"][0].seen == 1


def test_assessors_whose_topic_was_taken_back_are_not_counted(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    ruling = rulings.rule(assignment.topic, people.olga, "Proofs by picture count.")
    rulings.look_again(assignment.pk, people.ada, ruling.pk)
    assignments.take_back(assignment)
    assignments.assign(assignment.round.pool, assignment.topic, people.emmy, "main")
    assignments.assign(assignment.round.pool, assignment.topic, people.kurt, "dual")
    client.force_login(people.olga)
    home = f"/c/{assignment.topic.campaign.slug}/questions/"
    (row,) = client.get(home).context["rulings"]
    assert (row.seen, row.judges) == (0, 2)
    for seen_by in assignment.topic.assignments.filter(closed=None):
        rulings.look_again(seen_by.pk, seen_by.assessor, ruling.pk)
    (row,) = client.get(home).context["rulings"]
    assert (row.seen, row.judges) == (2, 2)


def test_a_wrong_ruling_is_refused(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    other = cast.make_campaign(name="Other lab", topics=3)
    home = f"/c/{assignment.topic.campaign.slug}/questions/"
    client.force_login(people.olga)
    response = client.post(f"{home}rule/", {"topic": "A.3", "text": "Yes."})  # a topic of the other lab only
    assert (response.status_code, "Select a valid choice" in response.content.decode()) == (422, True)
    ruling = rulings.rule(other.topics.first(), people.olga, "Yes.")
    assert client.post(f"{home}rulings/{ruling.pk}/", {"text": "No."}).status_code == 404
    asked(client, assignment)
    client.force_login(people.olga)
    response = client.post(f"{home}{Question.objects.get().pk}/answer/", {"text": ""}, follow=True)
    assert [message.level for message in response.context["messages"]][-1] == ERROR


def test_an_empty_page_of_questions_says_so(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    html = page(client, people.olga, f"/c/{assignment.topic.campaign.slug}/questions/")
    assert "No questions yet." in html
    assert "None yet." in html
    assert 'title="Open"' not in html


def test_the_page_of_questions_takes_the_same_few_queries(
    client: Client, answers: cast.Judging, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    people, assignment = answers
    for unit in ("11", "12", "21"):
        asked(client, assignment, unit)
    for question in list(Question.objects.all())[:2]:
        rulings.answer(assignment.topic.campaign, question.pk, people.olga, "Yes.")
    client.force_login(people.olga)
    with django_assert_num_queries(9):
        client.get(f"/c/{assignment.topic.campaign.slug}/questions/")


def test_a_preview_has_the_rulings_and_no_forms(client: Client, answers: cast.Judging) -> None:
    people, assignment = answers
    asked(client, assignment)
    press(client, assignment, "12", "0")
    rulings.rule(assignment.topic, people.olga, "Proofs by picture count.")
    preview = reverse("preview", args=[assignment.topic.campaign.slug, assignment.pk, place_of(assignment, "11")])
    html = page(client, people.olga, preview)
    assert "Proofs by picture count." in html
    assert "/ask/" not in html
    assert "/seen/" not in html
    assert "?before=" not in html
