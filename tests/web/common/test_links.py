"""Links in posts on the pages: into threads that may be opened, else marked as leading outside."""

import re

import pytest

from assess.models import Comment, Post, PostLink
from assess.services.collection import threads
from tests.desk import url
from tests.lab import client_of, queries

pytestmark = pytest.mark.django_db

SITE = "https://math.stackexchange.com"
BODY = "".join(
    f'<p><a href="{SITE}/{path}" rel="nofollow noopener noreferrer">{path}</a></p>'
    for path in ("q/20", "a/22", "q/30", "q/999")  # 20 holds a pooled answer, 30 none, 999 is not there
)


def links(html):
    """Of each link of the posts its words, and its address or that it leads outside."""
    found = re.findall(r'<a href="([^"]*)"[^>]* class="(inside|outside)"[^>]*>([^<]*)', html)
    return {words: address if kind == "inside" else "outside" for address, kind, words in found}


def expected(campaign, **more):
    inside = {"q/20": f"/c/{campaign.slug}/threads/20/#post-20", "a/22": f"/c/{campaign.slug}/threads/20/#post-22"}
    return inside | {"q/30": "outside", "q/999": "outside"} | more


@pytest.fixture
def mine(answers):
    Post.objects.filter(post_id="11").update(body=BODY)
    return answers[1]


def test_on_the_desk_links_lead_to_threads_that_are_open(answers, mine):
    client, campaign = client_of(answers[0].ada), mine.topic.campaign
    assert links(client.get(url(mine, "11")).content.decode()) == expected(campaign)
    [place] = re.findall(r"/(\d+)/$", url(mine, "11"))
    [item] = client.get(f"/judge/{mine.pk}/items/?place={place}").json()["items"]
    assert links(item["html"]) == expected(campaign)
    assert client.get(expected(campaign)["a/22"]).status_code == 200


def test_the_topics_links_are_treated_alike(answers, mine):
    mine.topic.body = BODY
    mine.topic.save()
    html = client_of(answers[0].ada).get(url(mine, "12")).content.decode()
    assert links(html) == expected(mine.topic.campaign)


def test_in_threads_and_comments_links_lead_where_the_reader_may_go(answers, mine):
    people, campaign = answers[0], mine.topic.campaign
    Post.objects.filter(post_id="11").update(body="<p>No link.</p>")
    Comment.objects.create(post=Post.objects.get(post_id="12"), comment_id="1", text=BODY.replace("p>", "b>"))
    address = f"/c/{campaign.slug}/threads/10/"
    assert links(client_of(people.ada).get(address).content.decode()) == expected(campaign)
    for_organizers = expected(campaign, **{"q/30": f"/c/{campaign.slug}/threads/30/#post-30"})
    assert links(client_of(people.olga).get(address).content.decode()) == for_organizers


def test_a_thread_that_an_open_one_is_linked_to_is_open(answers, mine):
    PostLink.objects.create(post=Post.objects.get(post_id="10"), related_id="30", kind="related")
    campaign = mine.topic.campaign
    assert threads.openable_posts(campaign, "assessor", {"31", "30", "22", "999"}) == {
        "31": "30",
        "30": "30",
        "22": "20",
    }


def test_links_cost_three_queries_whatever_their_number(answers, mine):
    client = client_of(answers[0].ada)
    without, with_links = (queries(client, url(mine, unit)) for unit in ("12", "11"))
    Post.objects.filter(post_id="11").update(body=BODY + BODY.replace("/20", "/10"))
    assert queries(client, url(mine, "11")) == with_links == without + 3
