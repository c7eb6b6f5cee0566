"""Formulas that cannot be set: told by the desk of their assessor, listed for organizers."""

import pytest
from django.test import Client

from assess.models import MathProblem, Post
from tests import cast
from tests.desk import card_of, place_of
from tests.lab import client_of, queries

pytestmark = pytest.mark.django_db

BROKEN = r"\frac{a}{b"


@pytest.fixture
def mine(answers):
    """ada's assignment; answer 11, its question and the topic hold a broken formula."""
    _, mine = answers
    Post.objects.filter(post_id="11").update(
        body=f"<p>{cast.math('110', BROKEN)} &amp; {cast.math('', 'x &lt; y')}</p>"
    )
    mine.topic.body = f"<p>{cast.math('', BROKEN)}</p>"
    mine.topic.save()
    return mine


def told(mine, tex=BROKEN, unit="11", **more):
    instance = card_of(mine, unit).shown.instance.pk if unit else ""
    return {"instance": instance, "tex": tex, "message": "Missing close brace", **more}


def tell(client, mine, *args, **more):
    return client.post(f"/judge/{mine.pk}/math-problem/", told(mine, *args, **more)).status_code


def listing(mine):
    return f"/c/{mine.topic.campaign.slug}/math-problems/"


def test_a_formula_is_kept_once_for_each_document_with_a_count(answers, mine):
    people, _ = answers
    client = client_of(people.ada)
    assert [tell(client, mine), tell(client, mine, unit=""), tell(client, mine), tell(client, mine, "x < y")] == [
        204
    ] * 4
    kept = {(one.document, one.tex): one for one in MathProblem.objects.all()}
    assert {name: one.count for name, one in kept.items()} == {
        ("11", BROKEN): 2,
        ("A.1", BROKEN): 1,  # the topic's own text
        ("11", "x < y"): 1,
    }
    twice = kept["11", BROKEN]
    assert twice.message == "Missing close brace"
    assert twice.first < twice.last


def test_ends_of_lines_do_not_make_another_formula(answers, mine):
    Post.objects.filter(post_id="11").update(body=f"<p>{cast.math('110', 'a{' + chr(10) + 'b')}</p>")
    client = client_of(answers[0].ada)
    assert tell(client, mine, "a{\r\nb") == tell(client, mine, "a{ b") == 204
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
def test_what_is_not_in_the_document_is_not_kept(answers, mine, wrong):
    assert tell(client_of(answers[0].ada), mine, **wrong) == 422
    assert not MathProblem.objects.exists()


def test_a_document_of_another_topic_is_not_ones_own(answers, mine):
    people, _ = answers
    theirs = people.emmy.assignments.get()
    assert tell(client_of(people.ada), mine, instance=card_of(theirs, "11").shown.instance.pk) == 422


def test_only_the_assessor_of_the_assignment_tells(answers, mine):
    people, _ = answers
    for user in (people.emmy, people.olga, people.kurt, people.mallory):
        assert tell(client_of(user), mine) == 404, user
    assert client_of(people.ada).get(f"/judge/{mine.pk}/math-problem/").status_code == 405
    assert not MathProblem.objects.exists()


def test_telling_needs_a_token_and_an_account(client, answers, mine):
    assert client.post(f"/judge/{mine.pk}/math-problem/", told(mine)).url.startswith("/login/")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(answers[0].ada)
    assert tell(strict, mine) == 403
    assert not MathProblem.objects.exists()


def test_only_organizers_see_the_list(client, answers, mine):
    people, _ = answers
    assert client.get(listing(mine)).url.startswith("/login/")
    for user, status in [(people.olga, 200), (people.ada, 403), (people.kurt, 403), (people.mallory, 404)]:
        assert client_of(user).get(listing(mine)).status_code == status, user


def test_the_list_shows_the_source_and_leads_to_the_page(answers, mine):
    people, _ = answers
    tell(client_of(people.ada), mine)
    tell(client_of(people.ada), mine, unit="")
    html = client_of(people.olga).get(listing(mine)).content.decode()
    assert f'<code class="tex">{BROKEN}</code>' in html
    preview = f"/c/{mine.topic.campaign.slug}/preview/{mine.pk}/"
    assert f'{preview}{place_of(mine, "11")}/"' in html
    assert f'{preview}1/" title="Preview of what ada sees">A.1</a>' in html


def test_formulas_are_found_by_the_post_in_which_they_stand(answers):
    people, _ = answers
    campaign = cast.make_campaign("arqmath3-task2", "Formulas")
    cast.make_cast(campaign)
    Post.objects.filter(collection=campaign.collection).update(body=f"<p>{cast.math('', BROKEN)}</p>")
    mine = cast.make_assignment(cast.make_pool(campaign), people.ada)
    data = told(mine, unit="") | {"instance": card_of(mine, "v1", "120").shown.instance.pk}
    assert client_of(people.ada).post(f"/judge/{mine.pk}/math-problem/", data).status_code == 204
    html = client_of(people.olga).get(listing(mine)).content.decode()
    assert f'preview/{mine.pk}/{place_of(mine, "v1")}/" title="Preview of what ada sees">12</a>' in html


def test_a_problem_outlives_the_assignment(answers, mine):
    people, _ = answers
    tell(client_of(people.ada), mine)
    mine.delete()
    html = client_of(people.olga).get(listing(mine)).content.decode()
    assert BROKEN in html
    assert "preview" not in html


def test_the_overview_tells_the_number_only_where_there_is_one(answers, mine):
    people, _ = answers
    olga = client_of(people.olga)
    address = f"/c/{mine.topic.campaign.slug}/"
    assert "cannot be set" not in olga.get(address).content.decode().partition("</head>")[2]
    tell(client_of(people.ada), mine)
    assert "Assessors met 1 formula that cannot be set." in olga.get(address).content.decode()


def test_the_empty_list_says_so(answers, mine):
    assert "No assessor has met a formula" in client_of(answers[0].olga).get(listing(mine)).content.decode()


def test_the_list_takes_the_same_queries_whatever_its_length(answers, mine):
    people, _ = answers
    tell(client_of(people.ada), mine)
    before = queries(client_of(people.olga), listing(mine))
    tell(client_of(people.ada), mine, unit="")
    tell(client_of(people.ada), mine, "x < y")
    assert queries(client_of(people.olga), listing(mine)) == before
