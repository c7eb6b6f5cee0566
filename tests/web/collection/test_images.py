"""Pictures in posts: added by organizers, shown to members, and none from elsewhere."""

import io
import zipfile

import pytest
from django.urls import reverse

from assess.models import Post
from assess.services.collection import images
from tests.cast import make_campaign, make_pool
from tests.web.organizer import client_of, errors_of, file

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
OTHER = PNG + b"other"


@pytest.fixture
def olga(cast):
    return client_of(cast.olga)


def add(olga, campaign, *files):
    return olga.post(reverse("collection_images", args=[campaign.slug]), {"images": files})


def packed(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"pictures/{name}", data)
    return buffer.getvalue()


def picture(name: str, alt: str = "graph") -> str:
    return f'<p><a class="post-image" href="https://elsewhere.example/{name}?a&amp;b" data-image="{name}">{alt}</a></p>'


def page(olga, campaign, name="collection_images"):
    response = olga.get(reverse(name, args=[campaign.slug]))
    assert response.status_code == 200
    return response.content.decode()


def test_pictures_are_kept_under_the_name_that_posts_use(campaign, olga):
    add(
        olga,
        campaign,
        file("a.png", PNG),
        file("b c.gif", b"GIF89a.."),
        file("more.ZIP", packed({"d.png": PNG, "e.png": PNG})),
    )
    assert images.names(campaign.collection) == ["a.png", "b_c.gif", "d.png", "e.png"]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.svg", b"<svg/>", "a.svg: no PNG"),
        ("a.png", b"<script>", "a.png: no PNG"),
        (".htaccess", PNG, ".htaccess: a file name starts"),
        ("large.png", PNG + bytes(images.MAX_BYTES), "large.png: larger than 10 MB"),
        ("pictures.zip", packed({"page.png": b"<script>"}), "pictures/page.png: no PNG"),
        ("pictures.zip", packed({"good.png": OTHER}), "pictures/good.png: there are two pictures of the name"),
        ("broken.zip", b"PK", "broken.zip: cannot be unpacked"),
    ],
)
def test_only_pictures_are_kept_and_one_bad_file_keeps_all_out(name, data, reason, campaign, olga, settings):
    assert reason in errors_of(add(olga, campaign, file("good.png", PNG), file(name, data)))
    assert not list(settings.MEDIA_ROOT.rglob("*.png"))


def test_what_a_frozen_pool_shows_stays_and_what_it_lacks_can_come(campaign, olga):
    add(olga, campaign, file("a.png", PNG))
    make_pool(campaign)
    assert "a frozen pool shows it" in errors_of(add(olga, campaign, file("a.png", OTHER), file("b.png", PNG)))
    add(olga, campaign, file("a.png", PNG), file("b.png", PNG))
    assert images.names(campaign.collection) == ["a.png", "b.png"]


def test_the_pictures_that_texts_ask_for_and_that_are_not_here_are_listed(campaign, olga):
    Post.objects.filter(post_id="11").update(body=picture("gone.png") + picture("gone.png") + picture("here.png"))
    Post.objects.filter(post_id="12").update(body=picture("gone.png"))
    campaign.topics.filter(topic_id="A.1").update(body=picture("plot.png"))
    add(olga, campaign, file("here.png", PNG))
    html = page(olga, campaign)
    assert '<th scope="row">gone.png</th><td class="num">2</td>' in html
    assert '<th scope="row">plot.png</th><td class="num">1</td>' in html
    assert '<th scope="row">here.png' not in html
    assert page(olga, campaign, "images_missing") == (
        "file\ttexts\taddress\n"
        "gone.png\t2\thttps://elsewhere.example/gone.png?a&b\n"
        "plot.png\t1\thttps://elsewhere.example/plot.png?a&b\n"
    )


def test_where_none_is_missing_the_page_says_so(campaign, olga):
    assert "No picture is missing" in page(olga, campaign)


def test_the_list_of_missing_pictures_is_the_organizers(client, campaign, cast):
    address = reverse("images_missing", args=[campaign.slug])
    assert client.get(address).url.startswith("/login/")
    for user, status in [(cast.ada, 403), (cast.kurt, 403), (cast.olga, 200), (cast.mallory, 404)]:
        assert client_of(user).get(address).status_code == status, user


def test_another_labs_texts_ask_for_nothing_here(campaign, olga):
    other = make_campaign(name="Other lab")
    Post.objects.filter(collection=other.collection, post_id="11").update(body=picture("gone.png"))
    assert "gone.png" not in page(olga, campaign)


def test_pictures_come_from_our_store_and_in_place_of_others_stands_a_link(campaign, cast, olga):
    Post.objects.filter(post_id="11").update(body=picture("here.png") + picture("gone.png"))
    add(olga, campaign, file("here.png", PNG))
    html = olga.get(reverse("thread", args=[campaign.slug, "10"])).content.decode()
    assert f'<img class="post-image" src="/c/{campaign.slug}/images/here.png" alt="graph" loading="lazy">' in html
    assert 'href="https://elsewhere.example/gone.png?a&amp;b"' in html
    assert ">Missing picture: graph<" in html
    shown = olga.get(f"/c/{campaign.slug}/images/here.png")
    assert shown["Content-Type"] == "image/png"
    assert shown["X-Content-Type-Options"] == "nosniff"
    assert b"".join(shown.streaming_content) == PNG


def test_a_name_that_no_file_can_have_is_a_missing_picture(campaign, olga):
    name = f"{'x' * 300}.png"
    add(olga, campaign, file("here.png", PNG))
    Post.objects.filter(post_id="11").update(body=picture(name))
    assert ">Missing picture: graph<" in olga.get(reverse("thread", args=[campaign.slug, "10"])).content.decode()
    assert olga.get(f"/c/{campaign.slug}/images/{name}").status_code == 404


def test_pictures_are_shown_to_members_only(client, campaign, cast, olga):
    add(olga, campaign, file("a.png", PNG))
    address = reverse("post_image", args=[campaign.slug, "a.png"])
    assert client.get(address).url.startswith("/login/")
    for user, status in [(cast.ada, 200), (cast.kurt, 200), (cast.olga, 200), (cast.mallory, 404)]:
        assert client_of(user).get(address).status_code == status, user


@pytest.mark.parametrize(
    "name",
    ["page.png", "drawing.svg", "..", ".hidden.png", "%2e%2e%2fsecret.png", "..%5csecret.png", "sub", "none.png"],
)
def test_only_pictures_from_the_folder_of_pictures_are_served(campaign, olga, name):
    folder = images.folder(campaign.collection)
    (folder / "sub").mkdir(parents=True)
    (folder / "page.png").write_text("<script>alert(1)</script>")  # not what its name says
    (folder / "drawing.svg").write_text("<svg onload='alert(1)'/>")
    (folder / ".hidden.png").write_bytes(PNG)
    (folder.parent / "secret.png").write_bytes(PNG)
    assert olga.get(f"/c/{campaign.slug}/images/{name}").status_code == 404
