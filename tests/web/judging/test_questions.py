"""Questions of assessors and rulings, on the desk, in the list and on the organizers' page."""

import pytest
from django.utils import timezone

from assess.models import Question, Ruling, RulingSeen
from assess.services.judging import assignments, rulings
from tests import cast
from tests.desk import JSON, keyless, place_of, press, url

pytestmark = pytest.mark.django_db


def page(client, user, address, **more):
    client.force_login(user)
    response = client.get(address, more)
    assert response.status_code == 200
    return " ".join(keyless(response.content.decode()).replace("\xa0", " ").split())


def asked(client, mine, unit="11", text="May I use Lean?", **more):
    client.force_login(mine.assessor)
    return client.post(f"{url(mine, unit)}ask/", {"text": text}, **more)


def test_a_question_shows_at_its_item_until_it_is_answered(client, answers):
    people, mine = answers
    response = asked(client, mine)
    assert (response.status_code, response.url) == (303, url(mine, "11"))
    question = Question.objects.get()
    Question.objects.update(at=timezone.now() - timezone.timedelta(hours=2))
    here = f'<p class="asked small" data-place="{place_of(mine, "11")}">Asked 2 hours ago, no answer yet: '
    assert f"{here}<q>May I use Lean?</q>" in page(client, people.ada, url(mine, "11"))
    assert f'data-place="{place_of(mine, "11")}" hidden' in page(client, people.ada, url(mine, "12"))
    rulings.answer(mine.topic.campaign, question.pk, people.olga, "Yes, it counts.")
    for unit in ("11", "12"):
        html = page(client, people.ada, url(mine, unit))
        assert "no answer yet" not in html
        assert "You asked: <q>May I use Lean?</q>" in html
        assert "<p>Yes, it counts.</p>" in html


X_SQUARED = "<msup><mi>x</mi><mn>2</mn></msup>"


def test_formulas_are_set_in_questions_and_rulings_wherever_they_are_read(client, answers):
    people, mine = answers
    questions = f"/c/{mine.topic.campaign.slug}/questions/"
    here, topic = url(mine, "11"), f"/judge/{mine.pk}/"
    asked(client, mine, text="Is $x^2$ <b>low</b>?")
    for user, address in ((people.ada, here), (people.olga, questions)):
        html = page(client, user, address)
        assert X_SQUARED in html
        assert "&lt;b&gt;low&lt;/b&gt;" in html
    ruling = rulings.answer(mine.topic.campaign, Question.objects.get().pk, people.olga, "$$x^2+1$$ is medium.")
    rulings.change(mine.topic.campaign, ruling.pk, people.olga, "$x^2$ is high.")
    now = Ruling.objects.get(supersedes=ruling)
    counts = {here: 3, topic: 1, f"{topic}?before={now.pk}": 1}  # with the question and the words before
    assert {address: page(client, people.ada, address).count(X_SQUARED) for address in counts} == counts
    assert page(client, people.olga, questions).count(X_SQUARED) == 4  # with question and answer


def test_a_script_asks_and_fetches_what_is_new(client, answers):
    people, mine = answers
    assert asked(client, mine, headers=JSON).json() == {"detail": ""}
    assert asked(client, mine, text=" ", headers=JSON).status_code == 422
    rulings.rule(mine.topic, people.olga, "Proofs by picture count.")
    parts = client.get(f"/judge/{mine.pk}/news/?place={place_of(mine, '11')}").json()
    assert "Proofs by picture count." in parts["rulings"]
    assert f'<p class="asked small" data-place="{place_of(mine, "11")}">' in parts["rulings"]
    assert ">1 new ruling</a>" in parts["ruled"]
    assert '<span id="left">4</span> left' in parts["own"]


def test_the_bar_tells_of_new_rulings_until_they_are_seen(client, answers):
    people, mine = answers
    address = url(mine, "11")
    assert "new ruling" not in page(client, people.ada, address)
    first, second = (rulings.rule(mine.topic, people.olga, text) for text in ("Hints are low.", "Pictures count."))
    html = page(client, people.ada, address)
    assert f'<span id="ruled" role="status"><a href="#ruling-{second.pk}">2 new rulings</a>' in html
    assert f'<li id="ruling-{second.pk}"' in html
    client.post(f"/judge/{mine.pk}/rulings/{second.pk}/seen/")
    assert f'<a href="#ruling-{first.pk}">1 new ruling</a>' in page(client, people.ada, address)
    client.post(f"/judge/{mine.pk}/rulings/{first.pk}/seen/")
    assert "new ruling" not in page(client, people.ada, address)
    preview = f"/c/{mine.topic.campaign.slug}/preview/{mine.pk}/1/"
    assert "new ruling" not in page(client, people.olga, preview)


def test_numbers_and_signs_that_nothing_here_can_have_are_passed_over(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    endless = "9" * 5000
    assert client.post(f"/judge/{mine.pk}/1/ask/", {"text": "W\0hy?", "instance": endless}).status_code == 303
    kept = Question.objects.get()
    assert (kept.text, kept.instance) == ("Why?", None)
    ruling = rulings.rule(mine.topic, people.olga, "Because.")
    response = client.post(f"/judge/{mine.pk}/rulings/{ruling.pk}/seen/", {"place": endless})
    assert response.url == f"/judge/{mine.pk}/"
    assert client.get(f"/judge/{mine.pk}/", {"before": endless, "q": "\0", "show": "\0"}).status_code == 200
    assert client.get(f"/judge/{mine.pk}/news/", {"place": endless}).status_code == 200


def test_an_assessor_looks_again_at_what_came_before_a_ruling(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    press(client, mine, "11", "3")
    press(client, mine, "12", "0")
    ruling = rulings.rule(mine.topic, people.olga, "Proofs by picture count.")
    html = page(client, people.ada, url(mine, "21"))
    address = f"/judge/{mine.pk}/?before={ruling.pk}"
    assert f'<a href="{address}">Review 2 judged before this</a>' in html
    assert "Mark as reviewed" in html
    rows = client.get(address).context["rows"]
    assert {row.place for row in rows} == {place_of(mine, "11"), place_of(mine, "12")}
    response = client.post(f"/judge/{mine.pk}/rulings/{ruling.pk}/seen/", {"place": place_of(mine, "21")})
    assert (response.status_code, response.url) == (303, url(mine, "21"))
    html = page(client, people.ada, url(mine, "21"))
    assert "Proofs by picture count." in html
    assert "look again" not in html
    assert '<span class="badge running">new</span>' not in html
    assert client.post(f"/judge/{mine.pk}/rulings/{ruling.pk}/seen/", headers=JSON).json() == {}


@pytest.mark.parametrize("place", ["", "0", "5", "x"])
def test_ticking_off_in_the_list_leads_back_to_it(client, answers, place):
    people, mine = answers
    ruling = rulings.rule(mine.topic, people.olga, "Yes.")
    client.force_login(people.ada)
    response = client.post(f"/judge/{mine.pk}/rulings/{ruling.pk}/seen/", {"place": place})
    assert response.url == f"/judge/{mine.pk}/"


def test_the_assessors_doors_open_for_the_assessor_of_the_topic_only(client, answers):
    people, mine = answers
    ruling = rulings.rule(mine.topic, people.olga, "Yes.")
    theirs = mine.round.assignments.get(assessor=people.emmy)  # of another topic
    elsewhere = rulings.rule(theirs.topic, people.olga, "No.")
    gets = [f"/judge/{mine.pk}/news/", f"/judge/{mine.pk}/?before={ruling.pk}"]
    posts = [f"/judge/{mine.pk}/1/ask/", f"/judge/{mine.pk}/rulings/{ruling.pk}/seen/"]
    for user in (None, people.emmy, people.olga, people.kurt, people.mallory):
        if user:
            client.force_login(user)
        for answer in [*map(client.get, gets), *(client.post(one, {"text": "Why?"}) for one in posts)]:
            assert answer.status_code == (404 if user else 302), user
    client.force_login(people.ada)
    for address in posts:
        assert client.get(address).status_code == 405
    assert client.get(f"/judge/{mine.pk}/?before={elsewhere.pk}").status_code == 404
    assert client.post(f"/judge/{mine.pk}/rulings/{elsewhere.pk}/seen/").status_code == 404
    assert client.post(f"/judge/{mine.pk}/9/ask/", {"text": "Why?"}).status_code == 404
    assert not Question.objects.exists()
    assert not RulingSeen.objects.exists()


def test_only_organizers_read_questions_and_rule(client, answers):
    people, mine = answers
    asked(client, mine)
    ruling = rulings.rule(mine.topic, people.olga, "Yes.")
    home = f"/c/{mine.topic.campaign.slug}/questions/"
    question = Question.objects.get()
    posts = [f"{home}rule/", f"{home}{question.pk}/answer/", f"{home}rulings/{ruling.pk}/"]
    client.logout()
    assert client.get(home).url.startswith("/login/")
    for user, status in [(people.ada, 403), (people.kurt, 403), (people.mallory, 404)]:
        client.force_login(user)
        for answer in [client.get(home), *(client.post(one, {"text": "No.", "topic": "A.1"}) for one in posts)]:
            assert answer.status_code == status, user
    assert Ruling.objects.get() == ruling


def test_assessors_see_neither_who_asked_nor_who_else_judges(client, answers):
    people, mine = answers
    theirs = assignments.assign(mine.round.pool, mine.topic, people.emmy, "dual")
    asked(client, theirs, text="Is 11 spam?")
    for address in (url(mine, "11"), f"/judge/{mine.pk}/", f"/judge/{mine.pk}/news/?place={place_of(mine, '11')}"):
        assert "spam" not in page(client, people.ada, address)
    rulings.answer(mine.topic.campaign, Question.objects.get().pk, people.olga, "Judge it as it stands.")
    for address in (url(mine, "11"), f"/judge/{mine.pk}/"):
        html = page(client, people.ada, address)
        assert "Judge it as it stands." in html
        for secret in ("spam", "emmy", "olga"):
            assert secret not in html


def test_an_organizer_answers_changes_and_rules(client, answers):
    people, mine = answers
    asked(client, mine)
    asked(client, mine, "12", "Do hints count?")
    home = f"/c/{mine.topic.campaign.slug}/questions/"
    html = page(client, people.olga, home)
    assert 'Questions <span class="badge queued" title="Open">2</span>' in html
    assert f"/c/{mine.topic.campaign.slug}/preview/{mine.pk}/{place_of(mine, '12')}/" in html
    lean, hints = Question.objects.order_by("pk")
    client.post(f"{home}{hints.pk}/answer/", {"text": "Hints are low."})
    shown = client.get(home).context["rows"]
    assert [(row.question, row.question.ruling) for row in shown] == [(lean, None), (hints, Ruling.objects.get())]
    for state, questions in {"open": [lean], "answered": [hints], "nonsense": [lean, hints]}.items():
        assert [row.question for row in client.get(home, {"show": state}).context["rows"]] == questions
    client.post(f"{home}rulings/{Ruling.objects.get().pk}/", {"text": "Hints are medium."})
    client.post(f"{home}rule/", {"topic": "A.2", "text": "Look at part b, too."})
    html = page(client, people.olga, home)
    assert "Before it was changed (1)" in html
    (first, second) = client.get(home).context["rulings"]
    assert (first.ruling.text, [one.text for one in first.earlier]) == ("Hints are medium.", ["Hints are low."])
    assert (second.ruling.topic.topic_id, second.seen, second.judges) == ("A.2", 0, 1)
    rulings.look_again(mine.pk, people.ada, first.ruling.pk)
    assert client.get(home).context["rulings"][0].seen == 1


def test_a_topic_that_was_taken_back_is_not_counted_among_those_who_judge(client, answers):
    people, mine = answers
    ruling = rulings.rule(mine.topic, people.olga, "Proofs by picture count.")
    rulings.look_again(mine.pk, people.ada, ruling.pk)
    assignments.take_back(mine)
    assignments.assign(mine.round.pool, mine.topic, people.emmy, "main")
    assignments.assign(mine.round.pool, mine.topic, people.kurt, "dual")
    client.force_login(people.olga)
    home = f"/c/{mine.topic.campaign.slug}/questions/"
    (row,) = client.get(home).context["rulings"]
    assert (row.seen, row.judges) == (0, 2)
    emmys, kurts = mine.topic.assignments.filter(closed=None)
    for one in (emmys, kurts):
        rulings.look_again(one.pk, one.assessor, ruling.pk)
    (row,) = client.get(home).context["rulings"]
    assert (row.seen, row.judges) == (2, 2)


def test_what_cannot_be_ruled_is_told(client, answers):
    people, mine = answers
    other = cast.make_campaign(name="Other lab", topics=3)
    home = f"/c/{mine.topic.campaign.slug}/questions/"
    client.force_login(people.olga)
    response = client.post(f"{home}rule/", {"topic": "A.3", "text": "Yes."})  # a topic of the other lab only
    assert (response.status_code, "Select a valid choice" in response.content.decode()) == (422, True)
    ruling = rulings.rule(other.topics.first(), people.olga, "Yes.")
    assert client.post(f"{home}rulings/{ruling.pk}/", {"text": "No."}).status_code == 404
    asked(client, mine)
    client.force_login(people.olga)
    response = client.post(f"{home}{Question.objects.get().pk}/answer/", {"text": ""}, follow=True)
    assert "Nothing was written." in response.content.decode()


def test_the_page_of_questions_says_what_it_is_for_while_it_is_empty(client, answers):
    people, mine = answers
    html = page(client, people.olga, f"/c/{mine.topic.campaign.slug}/questions/")
    assert "Nobody has asked anything." in html
    assert "None yet." in html
    assert 'title="Open"' not in html


def test_the_page_of_questions_takes_the_same_few_queries(client, answers, django_assert_num_queries):
    people, mine = answers
    for unit in ("11", "12", "21"):
        asked(client, mine, unit)
    for question in list(Question.objects.all())[:2]:
        rulings.answer(mine.topic.campaign, question.pk, people.olga, "Yes.")
    client.force_login(people.olga)
    with django_assert_num_queries(8):
        client.get(f"/c/{mine.topic.campaign.slug}/questions/")


def test_a_preview_has_the_rulings_and_no_forms(client, answers):
    people, mine = answers
    asked(client, mine)
    press(client, mine, "12", "0")
    rulings.rule(mine.topic, people.olga, "Proofs by picture count.")
    html = page(client, people.olga, f"/c/{mine.topic.campaign.slug}/preview/{mine.pk}/{place_of(mine, '11')}/")
    assert "Proofs by picture count." in html
    assert "/ask/" not in html
    assert "/seen/" not in html
    assert "look again" not in html
