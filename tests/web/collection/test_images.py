"""Pictures in posts: added by organizers, shown to members, never loaded from other sites."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from assess.models import Campaign, Collection, Post
from assess.services.collection import images
from tests.archives import zipped
from tests.cast import Cast, make_campaign, make_pool
from tests.web.organizer import errors_of, file, url_of

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
OTHER = PNG + b"other"


def add(olga: Client, campaign: Campaign, *files: SimpleUploadedFile) -> Any:
    return olga.post(url_of("collection_images", campaign), {"images": files})


def picture(name: str, alt: str = "graph") -> str:
    return f'<p><a class="post-image" href="https://elsewhere.example/{name}?a&amp;b" data-image="{name}">{alt}</a></p>'


BAD = [
    ("a.svg", b"<svg/>", "a.svg: not a PNG"),
    ("a.png", b"<script>", "a.png: not a PNG"),
    (".htaccess", PNG, ".htaccess: the file name must start"),
    (f"{'ü' * 130}.png", PNG, "the file name has more than 255 bytes"),
    ("large.png", PNG + bytes(images.MAX_BYTES), "large.png: larger than 10 MB"),
    ("pictures.zip", zipped({"pictures/page.png": b"<script>"}), "pictures/page.png: not a PNG"),
    ("pictures.zip", zipped({"pictures/good.png": OTHER}), "pictures/good.png: two different pictures"),
    ("broken.zip", b"PK", "broken.zip: cannot be unpacked"),
]


def test_a_bad_file_stops(campaign: Campaign, olga: Client, settings: Settings) -> None:
    for name, data, reason in BAD:
        assert reason in errors_of(add(olga, campaign, file("good.png", PNG), file(name, data)))
    assert not list(settings.MEDIA_ROOT.rglob("*.png"))


def test_pictures_of_frozen_pool_cannot_change_but_missing_ones_can_be_added(campaign: Campaign, olga: Client) -> None:
    archive = file("more.ZIP", zipped({"pictures/d.png": PNG}))
    add(olga, campaign, file("a.png", PNG), file("b c.gif", b"GIF89a.."), archive)
    assert str(campaign.actions.get()) == "3 pictures added."
    make_pool(campaign)
    assert "a frozen pool shows" in errors_of(add(olga, campaign, file("a.png", OTHER), file("b.png", PNG)))
    add(olga, campaign, file("a.png", PNG), file("b.png", PNG))
    assert images.image_names(campaign.collection) == ["a.png", "b.png", "b_c.gif", "d.png"]


def test_missing_pictures_are_counted_and_listed_with_their_addresses(campaign: Campaign, olga: Client) -> None:
    Post.objects.filter(collection=campaign.collection, post_id="11").update(
        body=picture("gone.png") + picture("gone.png") + picture("here.png")
    )
    Post.objects.filter(post_id="12").update(body=picture("gone.png"))
    campaign.topics.filter(topic_id="A.1").update(body=picture("plot.png"))
    asked = Collection.objects.create(name="Threads of topics")
    asked.posts.create(post_id="9", kind="question", thread_id="9", body=picture("asked.png"))
    Campaign.objects.filter(pk=campaign.pk).update(topic_threads=asked)
    other = make_campaign(name="Other lab")
    Post.objects.filter(collection=other.collection, post_id="21").update(body=picture("other.png"))
    add(olga, campaign, file("here.png", PNG))
    response = olga.get(url_of("collection_images", campaign))
    assert response.context["missing"] == {
        name: f"https://elsewhere.example/{name}?a&b" for name in ("asked.png", "gone.png", "plot.png")
    }
    assert "https://elsewhere.example/plot.png?a&amp;b" in response.content.decode()


def test_stored_pictures_are_shown_and_missing_ones_are_links(campaign: Campaign, cast: Cast, olga: Client) -> None:
    long = f"{'x' * 300}.png"
    Post.objects.filter(post_id="11").update(body=picture("here.png") + picture("gone.png") + picture(long, "long"))
    add(olga, campaign, file("here.png", PNG))
    html = olga.get(reverse("thread", args=[campaign.slug, "10"])).content.decode()
    assert f'<img class="post-image" src="/c/{campaign.slug}/images/here.png" alt="graph" loading="lazy">' in html
    assert 'href="https://elsewhere.example/gone.png?a&amp;b"' in html
    assert ">Missing picture: graph<" in html
    assert ">Missing picture: long<" in html
    assert olga.get(f"/c/{campaign.slug}/images/{long}").status_code == 404
    response = olga.get(f"/c/{campaign.slug}/images/here.png")
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response.getvalue() == PNG


@pytest.mark.parametrize(
    "name",
    ["page.png", "drawing.svg", "..", ".hidden.png", "%2e%2e%2fsecret.png", "..%5csecret.png", "sub", "none.png"],
)
def test_only_pictures_from_their_folder_are_served(campaign: Campaign, olga: Client, name: str) -> None:
    folder = images.image_folder(campaign.collection)
    (folder / "sub").mkdir(parents=True)
    (folder / "page.png").write_text("<script>alert(1)</script>")  # not what its name says
    (folder / "drawing.svg").write_text("<svg onload='alert(1)'/>")
    (folder / ".hidden.png").write_bytes(PNG)
    (folder.parent / "secret.png").write_bytes(PNG)
    assert olga.get(f"/c/{campaign.slug}/images/{name}").status_code == 404
