"""The threads of topics on the pages: who reads them, who imports them, and where they are missing."""

import pytest
from django.urls import reverse

from assess.models import Job
from assess.tasks import run_job
from tests.cast import make_assignment, make_pool
from tests.lab import queries
from tests.web.organizer import bare_campaign, client_of, errors_of, file

pytestmark = pytest.mark.django_db

PAGE = """<h1>How large is $n^2$?</h1><div class="question" data-questionid="901"><div class="post-text">
<p>Question 1 about $x+1$.</p></div><span class="post-tag">limits</span><div class="js-vote-count">6</div></div>
<div class="answer" data-answerid="902"><div class="post-text"><p>Of the order $n$.</p></div></div>
<div class="linked">[20] A pooled one
[777] Another</div>"""
POSTS = '<posts><row Id="1" PostTypeId="1" Title="T" Body="B"/></posts>'


def address(campaign):
    return reverse("topic_threads", args=[campaign.slug])


def import_(cast, campaign, **files):
    return client_of(cast.olga).post(address(campaign), files)


@pytest.fixture
def imported(campaign, cast):
    """A.1 has its thread, A.2 has none."""
    import_(cast, campaign, pages=[file("A.1.html", PAGE)])
    run_job(Job.objects.get().pk)
    campaign.refresh_from_db()
    return campaign


def read(client, campaign, topic="A.1"):
    response = client.get(reverse("topic_thread", args=[campaign.slug, topic]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_thread_shows_the_topic_in_its_own_words_and_the_answers_it_got(imported, cast):
    make_pool(imported)
    html = read(client_of(cast.ada), imported)
    assert 'data-tex="x+1" data-formula-id="q_2"' in html  # the topic's own formula ids
    assert "Of the order" in html
    assert '<strong class="score">6</strong>' in html
    assert f'<a href="/c/{imported.slug}/threads/20/">Title 20</a>' in html
    assert "thread 777, which is not stored here" in html
    assert "was not imported" not in html
    assert "was not imported" in read(client_of(cast.ada), imported, "A.2")


def test_members_of_the_campaign_read_it_and_nobody_else(imported, cast, client):
    place = reverse("topic_thread", args=[imported.slug, "A.1"])
    assert client.get(place).url.startswith("/login/")
    for user, status in [(cast.ada, 200), (cast.kurt, 200), (cast.olga, 200), (cast.mallory, 404)]:
        assert client_of(user).get(place).status_code == status, user


def test_its_posts_cannot_be_opened_as_threads_of_the_collection(imported, cast):
    assert client_of(cast.olga).get(reverse("thread", args=[imported.slug, "901"])).status_code == 404


def test_the_thread_of_a_topic_takes_the_same_queries_whatever_its_length(imported, cast):
    place = reverse("topic_thread", args=[imported.slug, "A.1"])
    before = queries(client_of(cast.ada), place)
    more = [f'<div class="answer" data-answerid="{n}"><div class="post-text">$x$</div></div>' for n in range(50)]
    import_(cast, imported, pages=[file("A.1.html", PAGE + "".join(more))])
    run_job(Job.objects.order_by("pk").last().pk)
    assert read(client_of(cast.ada), imported).count("<article") == 52
    assert queries(client_of(cast.ada), place) == before <= 12


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(("person", "status"), [("ada", 403), ("kurt", 403), ("mallory", 404), (None, 302)])
def test_only_organizers_import(campaign, cast, client, method, person, status):
    if person:
        client = client_of(getattr(cast, person))
    assert getattr(client, method)(address(campaign)).status_code == status
    assert not Job.objects.exists()


def test_the_page_tells_which_topics_have_a_thread(imported, cast):
    html = client_of(cast.olga).get(address(imported)).content.decode()
    assert reverse("topic_thread", args=[imported.slug, "A.1"]) in html
    assert "1 topic without a thread:</strong> A.2." in html
    assert "takes the place of all threads" in html
    topics = client_of(cast.olga).get(reverse("topics", args=[imported.slug])).content.decode()
    assert "1 of 2 topics has the thread" in topics


def test_without_threads_the_pages_say_so(campaign, cast):
    mine = make_assignment(make_pool(campaign), cast.ada)
    assert "(not imported)" in client_of(cast.ada).get(reverse("judge", args=[mine.pk, 1])).content.decode()
    olga = client_of(cast.olga)
    assert "are not imported" in olga.get(reverse("topics", args=[campaign.slug])).content.decode()
    assert "not imported" in olga.get(reverse("topic", args=[campaign.slug, "A.1"])).content.decode()


def test_before_the_topics_there_is_nothing_to_import(cast):
    bare = bare_campaign("arqmath3-task1")
    assert "Import these first" in client_of(cast.olga).get(address(bare)).content.decode()


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"year": "2020"}, "one of the two"),
        ({"posts": file("Posts.xml", POSTS), "pages": [file("A.1.html", PAGE)]}, "one of the two"),
        ({"comments": file("Comments.xml", "<comments/>")}, "add Posts.xml"),
    ],
)
def test_what_does_not_go_together_is_refused_at_once(campaign, cast, files, reason):
    assert reason in errors_of(import_(cast, campaign, **files))
    assert not Job.objects.exists()


def test_a_file_that_cannot_be_used_is_told_by_the_job(campaign, cast, settings):
    import_(cast, campaign, posts=file("Posts.xml", POSTS), year="2020")
    run_job(Job.objects.get().pk)
    job = Job.objects.get()
    assert (job.state, job.params["year"]) == ("failed", 2020)
    assert "is one of the topics" in job.error
    assert not list((settings.MEDIA_ROOT / "uploads").iterdir())
