"""Formulas that cannot be rendered: reported by the desk, listed for organizers."""

from typing import Any

import pytest
from django.test import Client

from assess.models import Assignment, MathProblem, Post
from tests import cast
from tests.cast import Cast, make_cast
from tests.desk import card_of, place_of
from tests.lab import client_of, queries

pytestmark = pytest.mark.django_db

BROKEN = r"\frac{a}{b"


@pytest.fixture
def assignment(answers: Assignment) -> Assignment:
    """ada's answers; answer 11 and the topic have a broken formula."""
    Post.objects.filter(post_id="11").update(
        body=f"<p>{cast.math('110', BROKEN)} &amp; {cast.math('', 'x &lt; y')}</p>"
    )
    answers.topic.body = f"<p>{cast.math('', BROKEN)}</p>"
    answers.topic.save()
    return answers


def report(assignment: Assignment, tex: str = BROKEN, unit: str = "11", **more: object) -> dict[str, object]:
    """What the desk sends."""
    instance = card_of(assignment, unit).instance.pk if unit else ""
    return {"instance": instance, "tex": tex, "message": "Missing close brace", **more}


def send(client: Client, assignment: Assignment, *args: str, **more: Any) -> int:
    return client.post(f"/judge/{assignment.pk}/math-problem/", report(assignment, *args, **more)).status_code


def listing(assignment: Assignment) -> str:
    return f"/c/{assignment.topic.campaign.slug}/math-problems/"


def test_a_formula_is_stored_once_and_counted(answers: Assignment, assignment: Assignment, people: Cast) -> None:
    client = client_of(people.ada)
    statuses = {send(client, assignment), send(client, assignment), send(client, assignment, "x < y")}
    assert statuses | {send(client, assignment, unit="")} == {204}
    stored = {(problem.document, problem.tex): problem for problem in MathProblem.objects.all()}
    assert {name: problem.count for name, problem in stored.items()} == {
        ("11", BROKEN): 2,
        ("A.1", BROKEN): 1,  # the topic's own text
        ("11", "x < y"): 1,
    }
    twice = stored["11", BROKEN]
    assert twice.message == "Missing close brace"
    assert twice.first < twice.last


def test_ends_of_lines_do_not_make_another_formula(answers: Assignment, assignment: Assignment) -> None:
    Post.objects.filter(post_id="11").update(body=f"<p>{cast.math('110', 'a{' + chr(10) + 'b')}</p>")
    client = client_of(make_cast().ada)
    assert send(client, assignment, "a{\r\nb") == send(client, assignment, "a{ b") == 204
    assert MathProblem.objects.get().count == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"tex": "x+1"},  # not in this document
        {"tex": ""},
        {"tex": "x" * 10_001},
        {"instance": "no number"},
        {"instance": 999_999},
    ],
)
def test_a_foreign_formula_is_refused(answers: Assignment, assignment: Assignment, wrong: dict[str, object]) -> None:
    assert send(client_of(make_cast().ada), assignment, **wrong) == 422
    assert not MathProblem.objects.exists()


def test_a_document_of_another_topic_is_refused(answers: Assignment, assignment: Assignment, people: Cast) -> None:
    of_emmy = people.emmy.assignments.get()
    assert send(client_of(people.ada), assignment, instance=card_of(of_emmy, "11").instance.pk) == 422


def test_only_assessor_of_the_assignment_can_report(answers: Assignment, assignment: Assignment, people: Cast) -> None:
    for user in (people.emmy, people.olga, people.kurt, people.mallory):
        assert send(client_of(user), assignment) == 404, user
    assert client_of(people.ada).get(f"/judge/{assignment.pk}/math-problem/").status_code == 405
    assert not MathProblem.objects.exists()


def test_reporting_needs_a_token_and_an_account(client: Client, answers: Assignment, assignment: Assignment) -> None:
    assert client.post(f"/judge/{assignment.pk}/math-problem/", report(assignment))["Location"].startswith("/login/")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_cast().ada)
    assert send(strict, assignment) == 403
    assert not MathProblem.objects.exists()


def test_only_organizers_see_list(client: Client, answers: Assignment, assignment: Assignment, people: Cast) -> None:
    assert client.get(listing(assignment))["Location"].startswith("/login/")
    for user, status in [(people.olga, 200), (people.ada, 403), (people.kurt, 403), (people.mallory, 404)]:
        assert client_of(user).get(listing(assignment)).status_code == status, user


def test_list_shows_source_and_links_to_the_preview(answers: Assignment, assignment: Assignment, people: Cast) -> None:
    send(client_of(people.ada), assignment)
    send(client_of(people.ada), assignment, unit="")
    html = client_of(people.olga).get(listing(assignment)).content.decode()
    assert f'<code class="tex">{BROKEN}</code>' in html
    preview = f"/c/{assignment.topic.campaign.slug}/preview/{assignment.pk}/"
    assert f'{preview}{place_of(assignment, "11")}/"' in html
    assert f'{preview}1/" title="Preview of what ada sees">A.1</a>' in html


def test_formulas_are_listed_by_the_post_they_are_in(answers: Assignment, people: Cast) -> None:
    campaign = cast.make_campaign("arqmath3-task2", "Formulas")
    cast.make_cast(campaign)
    Post.objects.filter(collection=campaign.collection).update(body=f"<p>{cast.math('', BROKEN)}</p>")
    assignment = cast.make_assignment(cast.make_pool(campaign), people.ada)
    data = report(assignment, unit="") | {"instance": card_of(assignment, "v1", "120").instance.pk}
    assert client_of(people.ada).post(f"/judge/{assignment.pk}/math-problem/", data).status_code == 204
    html = client_of(people.olga).get(listing(assignment)).content.decode()
    assert f'preview/{assignment.pk}/{place_of(assignment, "v1")}/" title="Preview of what ada sees">12</a>' in html


def test_a_problem_outlives_the_assignment(answers: Assignment, assignment: Assignment, people: Cast) -> None:
    send(client_of(people.ada), assignment)
    assignment.delete()
    html = client_of(people.olga).get(listing(assignment)).content.decode()
    assert BROKEN in html
    assert "preview" not in html


def test_the_overview_links_to_problems_if_any(answers: Assignment, assignment: Assignment, people: Cast) -> None:
    olga = client_of(people.olga)
    address = f"/c/{assignment.topic.campaign.slug}/"
    assert listing(assignment) not in olga.get(address).content.decode()
    send(client_of(people.ada), assignment)
    assert listing(assignment) in olga.get(address).content.decode()


def test_the_empty_list_says_so(answers: Assignment, assignment: Assignment) -> None:
    response = client_of(make_cast().olga).get(listing(assignment))
    assert response.context["count"] == 0
    assert "<table" not in response.content.decode()


def test_a_longer_list_takes_no_more_queries(answers: Assignment, assignment: Assignment, people: Cast) -> None:
    send(client_of(people.ada), assignment)
    before = queries(client_of(people.olga), listing(assignment))
    send(client_of(people.ada), assignment, unit="")
    send(client_of(people.ada), assignment, "x < y")
    assert queries(client_of(people.olga), listing(assignment)) == before
