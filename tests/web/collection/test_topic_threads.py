"""The threads of topics on the pages: who reads them, who imports them, and which are missing."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Job
from assess.tasks import run_job
from tests.cast import Cast, make_pool
from tests.lab import client_of
from tests.web.organizer import fields_refused, file, url_of

pytestmark = pytest.mark.django_db

PAGE = """<h1>How large is $n^2$?</h1><div class="question" data-questionid="901"><div class="post-text">
<p>Question 1 about $x+1$.</p></div><span class="post-tag">limits</span><div class="js-vote-count">6</div></div>
<div class="answer" data-answerid="902"><div class="post-text"><p>Of the order $n$.</p></div></div>
<div class="linked">[20] A pooled one
[777] Another</div>"""
POSTS = '<posts><row Id="1" PostTypeId="1" Title="T" Body="B"/></posts>'


def address(campaign: Campaign) -> str:
    return url_of("topic_threads", campaign)


def import_(cast: Cast, campaign: Campaign, **files: Any) -> Any:
    return client_of(cast.olga).post(address(campaign), files)


@pytest.fixture
def imported(campaign: Campaign, cast: Cast) -> Campaign:
    """A.1 has its thread, A.2 has none."""
    import_(cast, campaign, pages=[file("A.1.html", PAGE)], year="2020")
    assert Job.objects.get().params["year"] == 2020
    run_job(Job.objects.get().pk)
    assert Job.objects.get().result == {"found": 1, "topics": 2}
    campaign.refresh_from_db()
    return campaign


def read(client: Client, campaign: Campaign, topic: str = "A.1") -> Any:
    response = client.get(url_of("topic_thread", campaign, topic_id=topic))
    assert response.status_code == 200
    return response


def test_the_thread_shows_the_text_of_the_topic_and_the_answers(imported: Campaign, cast: Cast) -> None:
    make_pool(imported)
    response = read(client_of(cast.ada), imported)
    html = " ".join(response.content.decode().split())
    assert 'data-tex="x+1" data-formula-id="q_2"' in html  # the topic's own formula ids
    assert "Of the order" in html
    assert '<strong class="score">6</strong>' in html
    assert f'<a href="/c/{imported.slug}/threads/20/">Title 20</a>' in html
    assert "thread 777" in html
    assert response.context["is_imported"]
    assert client_of(cast.olga).get(reverse("thread", args=[imported.slug, "901"])).status_code == 404
    assert not read(client_of(cast.ada), imported, "A.2").context["is_imported"]


def test_files_that_do_not_match_are_refused(campaign: Campaign, cast: Cast) -> None:
    posts, pages = file("Posts.xml", POSTS), [file("A.1.html", PAGE)]
    assert fields_refused(import_(cast, campaign, year="2020")) == {"__all__"}
    assert fields_refused(import_(cast, campaign, posts=posts, pages=pages)) == {"__all__"}
    assert fields_refused(import_(cast, campaign, comments=file("Comments.xml", "<comments/>"))) == {"posts"}
    assert not Job.objects.exists()
