"""Threads: what they show, who may open which, and links that lead to them."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.models import Assignment, Campaign, Comment, Post, PostLink
from assess.services.campaign import campaigns
from assess.services.pool import freezing
from tests.cast import Cast, make_campaign, make_cast, make_pool, math
from tests.desk import url
from tests.lab import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Posts 11, 12 and 21 are pooled, so threads 10 and 20 are; 30 is not."""
    campaign = make_campaign()
    make_pool(campaign)
    return campaign


def get(client: Client, user: User, campaign: Campaign, rest: str) -> Any:
    client.force_login(user)
    return client.get(f"/c/{campaign.slug}/{rest}")


def thread_html(client: Client, user: User, campaign: Campaign, rest: str = "threads/10/") -> str:
    response = get(client, user, campaign, rest)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def link(post_id: str, related_id: str, kind: str = "related") -> None:
    PostLink.objects.create(post=Post.objects.get(post_id=post_id), related_id=related_id, kind=kind)


def add_thread(campaign: Campaign, thread_id: str) -> None:
    about = {"collection": campaign.collection, "thread_id": thread_id, "body": "<p>Text.</p>"}
    Post.objects.create(post_id=thread_id, kind="question", title=f"Title {thread_id}", **about)


def test_a_thread_shows_question_answers_comments_and_links(client: Client, campaign: Campaign, cast: Cast) -> None:
    about = {"comment_id": "5", "owner": "Cleo", "score": 2, "written": "2018-03-02T10:00:00"}
    Comment.objects.create(post=Post.objects.get(post_id="11"), text=f"See {math('', 'z^3')}", **about)
    Post.objects.filter(post_id="12").update(owner="4711", written="2018-03-01T23:59:59.123", score=9)
    link("10", "20", "duplicate")
    link("10", "888")  # not stored
    html = thread_html(client, cast.ada, campaign)
    for text in ("Title 10", "Answer 11 says", "Answer 12 says", 'data-tex="z^3"', "algebra", "2 answers"):
        assert text in html, text
    assert "— Cleo, 2 Mar 2018" in html
    assert "user 4711, 1 Mar 2018" in html
    assert f'<span class="badge">duplicate</span> <a href="/c/{campaign.slug}/threads/20/">Title 20</a>' in html
    assert "thread 888" in html
    assert "threads/888/" not in html
    response = get(client, cast.ada, campaign, "threads/10/")
    answers = [(card["post"].post_id, card["is_accepted"]) for card in response.context["answers"]]
    assert answers == [("12", False), ("11", True)]  # by score, which is 3 for the accepted one
    assert response.content.decode().count(">accepted<") == 1
    Post.objects.filter(post_id="10").delete()
    response = get(client, cast.ada, campaign, "threads/10/")
    assert (response.context["question"], len(response.context["answers"])) == (None, 2)


def test_what_the_address_holds_is_not_echoed_and_never_nul(client: Client, campaign: Campaign, cast: Cast) -> None:
    Post.objects.filter(post_id="11").update(body=math("", "x"))  # a formula without id
    for formula in ("", "</span><script>", "%22%3E%3Cscript%3E"):
        html = thread_html(client, cast.ada, campaign, f"threads/10/?formula={formula}")
        assert "highlight" not in html.split("<main")[1]
        assert "<script>" not in html
    for rest in ("threads/10%00/", "topics/A.1%00/", "pool/?topic=%00", "topics/?topics=%00&topics=A.1"):
        assert get(client, cast.olga, campaign, rest).status_code == 400, rest


OPENED = {
    "10": 200,  # holds 11, which is pooled
    "30": 404,  # stored for a pool of another campaign
    "40": 200,  # linked from 10
    "50": 404,  # linked from 40, which is not pooled
    "60": 404,  # links to 10
}


def test_assessors_open_linked_threads(client: Client, campaign: Campaign, cast: Cast) -> None:
    for new in ("40", "50", "60"):
        add_thread(campaign, new)
    for source, target in [("10", "40"), ("40", "50"), ("60", "10")]:
        link(source, target)
    for user in (cast.ada, cast.kurt):
        assert {each: get(client, user, campaign, f"threads/{each}/").status_code for each in OPENED} == OPENED
    html = thread_html(client, cast.ada, campaign, "threads/40/")  # a link that one may not open is only a title
    assert ("Title 50" in html, "threads/50/" in html) == (True, False)
    opened = f'<a href="/c/{campaign.slug}/threads/50/">Title 50</a>'
    assert opened in thread_html(client, cast.olga, campaign, "threads/40/")
    freezing.unfreeze(campaign.frozen_pool(), cast.olga)
    for each in OPENED:
        assert get(client, cast.ada, campaign, f"threads/{each}/").status_code == 404
        assert get(client, cast.olga, campaign, f"threads/{each}/").status_code == 200


def test_threads_of_other_collections_and_those_that_another_campaign_pooled_stay_closed(
    client: Client, campaign: Campaign, cast: Cast
) -> None:
    other = make_campaign(name="Other lab")
    Post.objects.filter(collection=other.collection).update(thread_id="40")
    assert get(client, cast.olga, campaign, "threads/40/").status_code == 404
    beside = make_campaign(name="Beside")
    campaigns.use_collection(beside, campaign.collection, make_cast().olga)
    make_cast(beside)
    assert get(client, cast.ada, beside, "threads/10/").status_code == 404


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


def test_links_on_the_desk_in_threads_and_comments_lead_where_the_reader_may_go(answers: Assignment) -> None:
    Post.objects.filter(post_id="11").update(body=BODY)
    people, campaign = make_cast(), answers.topic.campaign
    client, inside = client_of(people.ada), expected(campaign)
    assert links(client.get(url(answers, "11")).content.decode()) == inside
    [place] = re.findall(r"/(\d+)/$", url(answers, "11"))
    [item] = client.get(f"/judge/{answers.pk}/items/?place={place}").json()["items"]
    assert links(item["html"]) == inside
    assert client.get(inside["a/22"]).status_code == 200
    Post.objects.filter(post_id="11").update(body="<p>No link.</p>")
    Comment.objects.create(post=Post.objects.get(post_id="12"), comment_id="1", text=BODY.replace("p>", "b>"))
    address = f"/c/{campaign.slug}/threads/10/"
    assert links(client.get(address).content.decode()) == inside
    for_organizers = expected(campaign, **{"q/30": f"/c/{campaign.slug}/threads/30/#post-30"})
    assert links(client_of(people.olga).get(address).content.decode()) == for_organizers
