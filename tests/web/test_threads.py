"""Threads and pictures: who sees what, and nothing that is not theirs."""

import pytest

from assess.models import Comment, Post, PostLink
from assess.services import images
from tests import cast

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture
def campaign(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return cast.make_campaign()


@pytest.fixture
def people(campaign):
    return cast.make_cast(campaign)


def get(client, user, campaign, rest):
    client.force_login(user)
    return client.get(f"/c/{campaign.slug}/{rest}")


def test_a_thread_shows_question_answers_comments_and_links(client, campaign, people):
    posts = {one.post_id: one for one in Post.objects.all()}
    Comment.objects.create(post=posts["11"], comment_id="5", text=f"See {cast.math('', 'z^3')}", owner="Cleo", score=2)
    PostLink.objects.create(post=posts["10"], related_id="20", kind="duplicate")
    PostLink.objects.create(post=posts["10"], related_id="888", kind="related")  # not stored
    html = get(client, people.ada, campaign, "threads/10/").content.decode()
    for text in ("Title 10", "Answer 11 says", "Answer 12 says", 'data-tex="z^3"', "Cleo", "algebra", "2 answers"):
        assert text in html, text
    assert f'Duplicate: <a href="/c/{campaign.slug}/threads/20/">Title 20</a>' in html
    assert "thread 888, which is not stored here" in html


def test_answers_come_by_score_and_the_accepted_one_is_marked(client, campaign, people):
    Post.objects.filter(post_id="12").update(score=9)  # 11, the accepted one, has 3
    response = get(client, people.ada, campaign, "threads/10/")
    assert [(one.post.post_id, one.is_accepted) for one in response.context["answers"]] == [("12", False), ("11", True)]
    assert response.content.decode().count(">accepted<") == 1


def test_the_formula_of_the_candidate_is_highlighted_and_no_other(client, campaign, people):
    html = get(client, people.ada, campaign, "threads/10/?formula=110").content.decode()
    assert html.count('class="math-container highlight"') == 1
    assert 'class="math-container highlight" data-tex="x+1" data-formula-id="110"' in html


@pytest.mark.parametrize("formula", ["", "</span><script>", "%22%3E%3Cscript%3E"])
def test_what_the_address_says_is_not_shown(client, campaign, people, formula):
    html = get(client, people.ada, campaign, f"threads/10/?formula={formula}").content.decode()
    assert "highlight" not in html.split("<main")[1]
    assert "<script>" not in html


def test_a_thread_without_its_question_still_opens(client, campaign, people):
    Post.objects.filter(post_id="10").delete()
    assert "not its question" in get(client, people.ada, campaign, "threads/10/").content.decode()


def test_a_thread_that_is_not_stored_says_so(client, campaign, people):
    response = get(client, people.ada, campaign, "threads/77/")
    assert response.status_code == 404
    assert "Thread 77 is not stored here" in response.content.decode()


def test_a_thread_of_another_collection_is_not_stored_here(client, campaign, people):
    other = cast.make_campaign(name="Other lab")
    Post.objects.filter(collection=other.collection).update(thread_id="40")
    assert get(client, people.ada, campaign, "threads/40/").status_code == 404


def test_a_topics_thread_shows_its_question_and_says_why_there_are_no_answers(client, campaign, people):
    html = get(client, people.ada, campaign, "topics/A.1/thread/").content.decode()
    assert "How large is" in html
    assert "The answers they got in the topic's year were not imported" in html
    assert get(client, people.ada, campaign, "topics/A.9/thread/").status_code == 404


@pytest.mark.parametrize("rest", ["threads/10/", "topics/A.1/thread/", "images/a.png"])
def test_members_only(client, campaign, people, rest):
    folder = images.folder(campaign.collection)
    folder.mkdir(parents=True)
    (folder / "a.png").write_bytes(PNG)
    assert client.get(f"/c/{campaign.slug}/{rest}").url.startswith("/login/")
    for user, status in [(people.ada, 200), (people.kurt, 200), (people.olga, 200), (people.mallory, 404)]:
        assert get(client, user, campaign, rest).status_code == status, user


def test_pictures_come_from_our_store_and_others_are_links(client, campaign, people):
    folder = images.folder(campaign.collection)
    folder.mkdir(parents=True)
    (folder / "here.png").write_bytes(PNG)
    body = "".join(
        f'<p><a class="post-image" href="https://elsewhere.example/{name}" data-image="{name}">graph</a></p>'
        for name in ("here.png", "gone.png")
    )
    Post.objects.filter(post_id="11").update(body=body)
    html = get(client, people.ada, campaign, "threads/10/").content.decode()
    assert f'<img class="post-image" src="/c/{campaign.slug}/images/here.png" alt="graph" loading="lazy">' in html
    assert "elsewhere.example/gone.png" in html
    assert ">Image: graph</a>" in html
    picture = get(client, people.ada, campaign, "images/here.png")
    assert picture["Content-Type"] == "image/png"
    assert picture["X-Content-Type-Options"] == "nosniff"
    assert b"".join(picture.streaming_content) == PNG


@pytest.mark.parametrize(
    "name",
    ["page.png", "drawing.svg", "..", ".hidden.png", "%2e%2e%2fsecret.png", "..%5csecret.png", "sub", "none.png"],
)
def test_only_pictures_from_the_folder_of_pictures_are_served(client, campaign, people, name):
    folder = images.folder(campaign.collection)
    (folder / "sub").mkdir(parents=True)
    (folder / "page.png").write_text("<script>alert(1)</script>")  # not what its name says
    (folder / "drawing.svg").write_text("<svg onload='alert(1)'/>")
    (folder / ".hidden.png").write_bytes(PNG)
    (folder.parent / "secret.png").write_bytes(PNG)
    assert get(client, people.ada, campaign, f"images/{name}").status_code == 404
