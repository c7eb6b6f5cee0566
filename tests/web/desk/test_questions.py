"""Assessors' questions and rulings: on the desk, in the list and on the organizers' page; and the page of outcomes."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.models import Assignment, Question, Ruling
from assess.services.desk import rulings
from assess.services.rounds import assignments
from assess.web.desk import questions
from tests.cast import Cast, make_campaign
from tests.desk import JSON, keyless, place_of, press, texts_of, url
from tests.lab import client_of, judge
from tests.web.organizer import messages_of, text_of, url_of

pytestmark = pytest.mark.django_db


def page(client: Client, user: User, address: str, **more: str) -> str:
    client.force_login(user)
    response = client.get(address, more)
    assert response.status_code == 200
    return " ".join(keyless(response.content.decode()).replace("\xa0", " ").split())


def asked(client: Client, assignment: Assignment, unit: str = "11", text: str = "May I use Lean?", **more: Any) -> Any:
    client.force_login(assignment.assessor)
    return client.post(f"{url(assignment, unit)}ask/", {"text": text}, **more)


def test_a_question_shows_at_its_item_until_it_is_answered(client: Client, answers: Assignment, people: Cast) -> None:
    response = asked(client, answers)
    assert (response.status_code, response.url) == (303, url(answers, "11"))
    question = Question.objects.get()
    Question.objects.update(at=timezone.now() - timedelta(hours=2))
    waiting = f"//p[@data-place='{place_of(answers, '11')}']"
    said = ["Asked 2 hours ago, no answer yet: May I use Lean?"]
    assert texts_of(page(client, people.ada, url(answers, "11")), f"{waiting}[not(@hidden)]") == said
    assert texts_of(page(client, people.ada, url(answers, "12")), f"{waiting}[@hidden]") == said
    rulings.answer_question(answers.topic.campaign, question.pk, people.olga, "Yes, it counts.")
    for unit in ("11", "12"):
        html = page(client, people.ada, url(answers, unit))
        assert "no answer yet" not in html
        assert "You asked: <q>May I use Lean?</q>" in html
        assert "<p>Yes, it counts.</p>" in html


X_SQUARED = "<msup><mi>x</mi><mn>2</mn></msup>"


def test_formulas_in_questions_and_rulings_are_set(client: Client, answers: Assignment, people: Cast) -> None:
    questions = f"/c/{answers.topic.campaign.slug}/questions/"
    here = url(answers, "11")
    asked(client, answers, text="Is $x^2$ <b>low</b>?")
    for user, address in ((people.ada, here), (people.olga, questions)):
        html = page(client, user, address)
        assert X_SQUARED in html
        assert "&lt;b&gt;low&lt;/b&gt;" in html
    rulings.answer_question(answers.campaign, Question.objects.get().pk, people.olga, "$$x^2+1$$ is medium.")
    rulings.change_ruling(answers.topic.campaign, Ruling.objects.get().pk, people.olga, "$x^2$ is high.")
    assert page(client, people.ada, here).count(X_SQUARED) == 3  # with the question and the words before
    assert page(client, people.olga, questions).count(X_SQUARED) == 4  # with question and answer


def test_a_script_asks_and_fetches_what_is_new(client: Client, answers: Assignment, people: Cast) -> None:
    assert asked(client, answers, headers=JSON).json() == {"detail": ""}
    assert asked(client, answers, text=" ", headers=JSON).status_code == 422
    rulings.store_ruling(answers.topic, people.olga, "Proofs by picture count.")
    parts = client.get(f"/judge/{answers.pk}/news/?place={place_of(answers, '11')}").json()
    assert "Proofs by picture count." in parts["rulings"]
    assert f'<p class="asked small" data-place="{place_of(answers, "11")}">' in parts["rulings"]
    assert ">1 new ruling</a>" in parts["ruled"]
    assert '<span id="left">4</span> left' in parts["own"]


def test_impossible_numbers_are_ignored_and_characters_refused(ada: Client, answers: Assignment, people: Cast) -> None:
    endless = "9" * 5000
    assert ada.post(f"/judge/{answers.pk}/1/ask/", {"text": "W\0hy?", "instance": endless}).status_code == 303
    kept = Question.objects.get()
    assert (kept.text, kept.instance) == ("Why?", None)
    ruling = rulings.store_ruling(answers.topic, people.olga, "Because.")
    response = ada.post(f"/judge/{answers.pk}/rulings/{ruling.pk}/seen/", {"place": endless})
    assert response["Location"] == f"/judge/{answers.pk}/"
    assert ada.get(f"/judge/{answers.pk}/", {"before": endless, "q": "none", "show": "none"}).status_code == 200
    assert ada.get(f"/judge/{answers.pk}/", {"q": "\0"}).status_code == 400
    assert ada.get(f"/judge/{answers.pk}/news/", {"place": endless}).status_code == 200


def test_an_assessor_reviews_what_they_judged_before_a_ruling(ada: Client, answers: Assignment, people: Cast) -> None:
    press(ada, answers, "11", "3")
    press(ada, answers, "12", "0")
    ruling = rulings.store_ruling(answers.topic, people.olga, "Proofs by picture count.")
    assert "1 new ruling" in page(ada, people.ada, "/")
    html = page(ada, people.ada, url(answers, "21"))
    address = f"/judge/{answers.pk}/?before={ruling.pk}"
    assert f'<a href="{address}">Review 2 ' in html
    assert f'<span id="ruled" role="status"><a href="#ruling-{ruling.pk}">1 new ruling</a>' in html
    assert f'<li id="ruling-{ruling.pk}"' in html
    rows = ada.get(address).context["rows"]
    assert {row.place for row in rows} == {place_of(answers, "11"), place_of(answers, "12")}
    response = ada.post(f"/judge/{answers.pk}/rulings/{ruling.pk}/seen/", {"place": place_of(answers, "21")})
    assert (response.status_code, response["Location"]) == (303, url(answers, "21"))
    html = page(ada, people.ada, url(answers, "21"))
    assert "Proofs by picture count." in html
    assert "?before=" not in html
    assert '<span class="badge running">new</span>' not in html
    assert "1 new ruling" not in html + page(ada, people.ada, "/")
    assert ada.post(f"/judge/{answers.pk}/rulings/{ruling.pk}/seen/", headers=JSON).json() == {}


def test_assessors_see_neither_who_asked_nor_who_else_judges(client: Client, answers: Assignment, people: Cast) -> None:
    dual = assignments.assign_topic(answers.round.pool, answers.topic, people.emmy, "dual")
    asked(client, dual, text="Is 11 spam?")
    news = f"/judge/{answers.pk}/news/?place={place_of(answers, '11')}"
    for address in (url(answers, "11"), f"/judge/{answers.pk}/", news):
        assert "spam" not in page(client, people.ada, address)
    rulings.answer_question(answers.topic.campaign, Question.objects.get().pk, people.olga, "Judge it as it stands.")
    for address in (url(answers, "11"), f"/judge/{answers.pk}/"):
        html = page(client, people.ada, address)
        assert "Judge it as it stands." in html
        for secret in ("spam", "emmy", "olga"):
            assert secret not in html


def test_an_organizer_answers_changes_and_adds_rulings(client: Client, answers: Assignment, people: Cast) -> None:
    asked(client, answers)
    asked(client, answers, "12", "Do hints count?")
    home = f"/c/{answers.topic.campaign.slug}/questions/"
    html = page(client, people.olga, home)
    assert 'Questions <span class="badge queued" title="Open">2</span>' in html
    assert f"/c/{answers.topic.campaign.slug}/preview/{answers.pk}/{place_of(answers, '12')}/" in html
    lean, hints = Question.objects.order_by("pk")
    client.post(f"{home}{hints.pk}/answer/", {"text": "Hints are low."})
    shown = client.get(home).context["rows"]
    assert [(question, question.ruling) for question, *_ in shown] == [(lean, None), (hints, Ruling.objects.get())]
    client.post(f"{home}rulings/{Ruling.objects.get().pk}/", {"text": "Hints are medium."})
    for topic, text in (("A.2", "Look at part b."), ("A.2", "Look at part b, too."), ("", "Be fair.")):
        client.post(f"{home}rule/", {"topic": topic, "text": text})
    make_campaign(name="Other lab", topics=3)
    assert client.post(f"{home}rule/", {"topic": "A.3", "text": "Yes."}).status_code == 422  # a topic of the other lab
    html = page(client, people.olga, home)
    assert "Earlier versions (1)" in html
    shown = [(row.text, [old.text for old in earlier]) for row, earlier in client.get(home).context["rulings"]]
    old = ("Hints are medium.", ["Hints are low."])
    assert shown == [("Be fair.", []), old, ("Look at part b, too.", []), ("Look at part b.", [])]


def test_a_preview_has_the_rulings_and_no_forms(client: Client, answers: Assignment, people: Cast) -> None:
    asked(client, answers)
    press(client, answers, "12", "0")
    rulings.store_ruling(answers.topic, people.olga, "Proofs by picture count.")
    preview = reverse("preview", args=[answers.topic.campaign.slug, answers.pk, place_of(answers, "11")])
    html = page(client, people.olga, preview)
    assert "Proofs by picture count." in html
    assert [word for word in ("/ask/", "/seen/", "?before=", "new ruling") if word in html] == []


def test_a_ruling_about_all_topics_stands_in_the_guidelines(client: Client, answers: Assignment, people: Cast) -> None:
    slug = answers.topic.campaign.slug
    client.force_login(people.olga)
    assert client.post(f"/c/{slug}/questions/rule/", {"topic": "", "text": "Pictures count."}).status_code == 302
    assert '<th scope="row">All topics</th>' in page(client, people.olga, f"/c/{slug}/questions/")
    for address in (url(answers, "11"), f"/judge/{answers.pk}/"):
        assert "about all topics" in page(client, people.ada, address).lower()
    old = Ruling.objects.get()
    assert client.post(f"/c/{slug}/questions/rulings/{old.pk}/", {"text": "No."}).status_code == 403
    client.force_login(people.olga)
    client.post(f"/c/{slug}/questions/rulings/{old.pk}/", {"text": "Pictures don't count."})
    guidelines = page(client, people.ada, f"/c/{slug}/guidelines/")
    assert guidelines.index("Pictures don&#x27;t count.") < guidelines.index("Pictures count.")


def test_guidelines_change_also_while_people_judge_and_a_note_says_so(
    client: Client, answers: Assignment, people: Cast
) -> None:
    campaign = answers.topic.campaign
    address = f"/c/{campaign.slug}/guidelines/"

    def change(text: str, **more: str) -> Any:
        client.force_login(people.olga)
        shown = client.get(address)
        return client.post(address, {"seen": shown.context["form"]["seen"].value(), "guidelines": text, **more})

    client.force_login(people.ada)
    assert client.post(address, {"guidelines": "Mine."}).status_code == 403
    assert change("Be fair.\nBe quick.").status_code == 302
    assert not Ruling.objects.exists()
    assert "Be quick." in page(client, people.ada, url(answers, "11"))
    press(client, answers, "11", "2")
    assert change("Be fair.").status_code == 422
    assert change("Be fair.", note="Take your time.").status_code == 302
    judged = page(client, people.ada, url(answers, "12"))
    assert "Take your time." in judged
    assert "Be quick." not in judged
    assert client.get(address).context["form"] is None
    client.force_login(people.olga)
    assert client.post(address, {"seen": "old", "guidelines": "No.", "note": "No."}).status_code == 422


@pytest.fixture
def judged(answers: Assignment) -> Assignment:
    judge(answers, {"11": "system_failure", "12": "do_not_know", "21": "3"})
    return answers


@pytest.fixture
def olga(people: Cast) -> Client:
    return client_of(people.olga)


def listed(page: str) -> list[str]:
    return re.findall(r'name="judgments" value="([^"]+)"', page)


def send(client: Client, assignment: Assignment, **fields: object) -> Any:
    return client.post(url_of("outcomes", assignment.campaign), fields, follow=True)


def test_outcomes_are_listed_with_their_comments_by_kind_and_page(
    olga: Client, judged: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = text_of(olga, "outcomes", judged.campaign)
    assert (len(listed(page)), page.count('<td class="comment">why</td>')) == (2, 2)
    kind = olga.get(f"{url_of('outcomes', judged.campaign)}&show=do_not_know")
    assert len(listed(kind.content.decode())) == 1
    monkeypatch.setattr(questions, "PER_PAGE", 1)
    second = listed(olga.get(f"{url_of('outcomes', judged.campaign)}&page=2").content.decode())
    assert second == listed(page)[1:]


def test_ticked_judgments_go_back_or_all_of_a_page(olga: Client, judged: Assignment) -> None:
    first = listed(text_of(olga, "outcomes", judged.campaign))[0]
    answer = send(olga, judged, judgments=[first], reason="Picture added")
    assert "1 judgment" in messages_of(answer)[0]
    assert len(listed(answer.content.decode())) == 1
    assert first not in listed(answer.content.decode())
    assert judged.judgments.count() == 2
    shown = listed(answer.content.decode())
    send(olga, judged, shown=shown, all="on", reason="Mended")
    assert list(judged.judgments.values_list("grade", flat=True)) == [3]


def test_without_judgments_or_a_reason_nothing_happens_and_ticks_stay(olga: Client, judged: Assignment) -> None:
    first, _ = listed(text_of(olga, "outcomes", judged.campaign))
    for reason, *sent in (("Mended",), ("", "x", "1"), ("Mended", ":"), ("", first)):
        response = olga.post(url_of("outcomes", judged.campaign), {"judgments": sent, "reason": reason})
        assert (response.status_code, judged.judgments.count()) == (422, 3)
    assert re.findall(r'value="([^"]+)" id="j\d+" checked', response.content.decode()) == [first]
