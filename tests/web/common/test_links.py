"""Links in posts lead to threads that the reader may open; others are marked as leading outside."""

import re

import pytest

from assess.models import Assignment, Campaign, Comment, Post, PostLink
from assess.services.collection import threads
from tests.cast import make_cast
from tests.desk import url
from tests.lab import client_of, queries

pytestmark = pytest.mark.django_db

SITE = "https://math.stackexchange.com"
BODY = "".join(
    f'<p><a href="{SITE}/{path}" rel="nofollow noopener noreferrer">{path}</a></p>'
    for path in ("q/20", "a/22", "q/30", "q/999")  # 20 has a pooled answer, 30 has none, 999 does not exist
)


def links(html: str) -> dict[str, str]:
    """The address of each link in posts, or "outside", by its text."""
    matches = re.findall(r'<a href="([^"]*)"[^>]* class="(inside|outside)"[^>]*>([^<]*)', html)
    return {text: address if kind == "inside" else "outside" for address, kind, text in matches}


def expected(campaign: Campaign, **more: str) -> dict[str, str]:
    inside = {"q/20": f"/c/{campaign.slug}/threads/20/#post-20", "a/22": f"/c/{campaign.slug}/threads/20/#post-22"}
    return inside | {"q/30": "outside", "q/999": "outside"} | more


@pytest.fixture
def assignment(answers: Assignment) -> Assignment:
    Post.objects.filter(post_id="11").update(body=BODY)
    return answers


def test_links_on_the_desk_lead_to_threads_that_assessors_may_open(answers: Assignment, assignment: Assignment) -> None:
    client, campaign = client_of(make_cast().ada), assignment.topic.campaign
    assert links(client.get(url(assignment, "11")).content.decode()) == expected(campaign)
    [place] = re.findall(r"/(\d+)/$", url(assignment, "11"))
    [item] = client.get(f"/judge/{assignment.pk}/items/?place={place}").json()["items"]
    assert links(item["html"]) == expected(campaign)
    assert client.get(expected(campaign)["a/22"]).status_code == 200


def test_links_in_topics_lead_to_the_same_threads(answers: Assignment, assignment: Assignment) -> None:
    assignment.topic.body = BODY
    assignment.topic.save()
    html = client_of(make_cast().ada).get(url(assignment, "12")).content.decode()
    assert links(html) == expected(assignment.topic.campaign)


def test_links_in_threads_and_comments_lead_where_reader_may_go(answers: Assignment, assignment: Assignment) -> None:
    people, campaign = make_cast(), assignment.topic.campaign
    Post.objects.filter(post_id="11").update(body="<p>No link.</p>")
    Comment.objects.create(post=Post.objects.get(post_id="12"), comment_id="1", text=BODY.replace("p>", "b>"))
    address = f"/c/{campaign.slug}/threads/10/"
    assert links(client_of(people.ada).get(address).content.decode()) == expected(campaign)
    for_organizers = expected(campaign, **{"q/30": f"/c/{campaign.slug}/threads/30/#post-30"})
    assert links(client_of(people.olga).get(address).content.decode()) == for_organizers


def test_assessors_may_open_threads_linked_from_open_ones(answers: Assignment, assignment: Assignment) -> None:
    PostLink.objects.create(post=Post.objects.get(post_id="10"), related_id="30", kind="related")
    campaign = assignment.topic.campaign
    assert threads.open_posts(campaign, "assessor", {"31", "30", "22", "999"}) == {
        "31": "30",
        "30": "30",
        "22": "20",
    }


def test_links_take_three_queries_for_any_number(answers: Assignment, assignment: Assignment) -> None:
    client = client_of(make_cast().ada)
    without, with_links = (queries(client, url(assignment, unit)) for unit in ("12", "11"))
    Post.objects.filter(post_id="11").update(body=BODY + BODY.replace("/20", "/10"))
    assert queries(client, url(assignment, "11")) == with_links == without + 3
