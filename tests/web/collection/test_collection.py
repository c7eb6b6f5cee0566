"""Collections through the browser's forms."""

from pathlib import Path

import pytest
from django.urls import reverse

from assess.models import Campaign, Collection, Job
from assess.services.campaign import campaigns
from assess.tasks import run_job
from tests.cast import make_campaign, make_cast, make_pool, make_user
from tests.web.organizer import bare_campaign, client_of, errors_of, file, make_run

pytestmark = pytest.mark.django_db

POSTS = """<posts>
<row Id="1" PostTypeId="1" Title="T" Body="&lt;p&gt;Q&lt;/p&gt;" Tags="&lt;sets&gt;" OwnerUserId="7" />
<row Id="2" PostTypeId="2" ParentId="1" Body="&lt;p&gt;A&lt;/p&gt;" />
</posts>"""


@pytest.fixture
def campaign(settings, tmp_path) -> Campaign:
    settings.MEDIA_ROOT = tmp_path / "media"
    return make_campaign()


@pytest.fixture
def olga(campaign):
    return client_of(make_cast(campaign).olga)


def test_a_collection_is_made_or_shared(campaign, olga):
    bare, twin = bare_campaign("arqmath3-task2"), bare_campaign("arqmath3-task1")
    campaigns.use_collection(twin, campaign.collection)
    url = reverse("collection", args=[bare.slug])
    page = olga.get(url).content.decode()
    assert "One of the two is needed." in page
    assert page.count(f"{campaign.collection} ({campaign}, {twin})</option>") == 1
    assert "one of the two" in errors_of(olga.post(url, {"name": "New", "share": campaign.collection.pk}))
    assert "one of the two" in errors_of(olga.post(url, {"name": ""}))
    assert "Choose another name" in errors_of(olga.post(url, {"name": campaign.collection.name}))
    assert olga.post(url, {"share": campaign.collection.pk}).url == url
    bare.refresh_from_db()
    assert bare.collection == campaign.collection


def test_the_first_collection_needs_a_name():
    olga = make_user("olga", is_staff=True)
    bare = bare_campaign("arqmath3-task1")
    response = client_of(olga).post(reverse("collection", args=[bare.slug]), {"name": ""})
    assert response.context["form"].errors == {"name": ["This field is required."]}


def test_a_collection_that_may_not_be_taken_is_not_made_either(campaign, olga):
    bare = make_campaign(name="Frozen without collection")
    make_pool(bare)
    Campaign.objects.filter(pk=bare.pk).update(collection=None)
    response = olga.post(reverse("collection", args=[bare.slug]), {"name": "New"})
    assert "The pool is frozen" in errors_of(response)
    assert not Collection.objects.filter(name="New").exists()


def test_runs_that_came_before_a_shared_collection_are_looked_up_in_it(campaign, olga):
    bare = bare_campaign("arqmath3-task1")
    make_run(bare)
    response = olga.post(reverse("collection", args=[bare.slug]), {"share": campaign.collection.pk})
    job = Job.objects.get()
    assert response.url == job.get_absolute_url()
    assert (job.campaign, job.params) == (bare, {"collection": campaign.collection.pk, "files": []})


def test_a_collection_comes_in_by_a_job_and_its_uploads_go(campaign, olga, settings):
    url = reverse("collection", args=[campaign.slug])
    users = '<users><row Id="7" DisplayName="Emmy" /></users>'
    response = olga.post(url, {"posts": file("Posts.xml", POSTS), "users": file("Users.xml", users)})
    job = Job.objects.get()
    assert response.url == job.get_absolute_url()
    uploads = [Path(one["path"]) for one in job.params["files"]]
    assert [path.read_text() for path in uploads] == [POSTS, users]
    assert all(path.is_relative_to(settings.MEDIA_ROOT / "uploads") for path in uploads)
    assert "An import is under way" in olga.get(url).content.decode()
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["counts"]["answers"]) == ("done", 1)
    assert not any(path.parent.exists() for path in uploads)
    page = olga.get(url).content.decode()
    assert "Posts.xml" in page
    assert "An import is under way" not in page


def test_an_epoch_keeps_posts_of_other_years_out(campaign, olga):
    url = reverse("collection", args=[campaign.slug])
    dated = POSTS.replace('<row Id="2"', '<row Id="2" CreationDate="2019-01-01"')
    mixed_up = olga.post(url, {"posts": file("Posts.xml", dated), "first_year": 2018, "last_year": 2010})
    assert "before the first" in errors_of(mixed_up)
    olga.post(url, {"posts": file("Posts.xml", dated), "first_year": 2010, "last_year": 2018})
    job = Job.objects.get()
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.error, job.state) == ("", "done")
    assert (job.result["counts"]["questions"], job.result["counts"]["answers"]) == (1, 0)
    assert "1 posts written outside 2010–2018 left out" in olga.get(url).content.decode()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "Choose at least one file."),
        (("comments",), "needs Posts.xml or a formula index"),
        (("formulas", "votes"), "add Posts.xml too"),
    ],
)
def test_files_of_a_collection_that_make_no_sense_are_refused(given, message, campaign, olga):
    response = olga.post(
        reverse("collection", args=[campaign.slug]), {kind: file("f", "x") for kind in given} or {"posts": ""}
    )
    assert message in errors_of(response)
    assert not Job.objects.exists()


def test_a_collection_under_a_frozen_pool_is_refused_at_once(campaign, olga):
    make_pool(campaign)
    response = olga.post(reverse("collection", args=[campaign.slug]), {"posts": file("Posts.xml", POSTS)})
    assert "frozen pool on this collection" in errors_of(response)
    page = response.content.decode()
    assert "no files can be imported" in page
    assert 'type="file"' not in page


def test_a_second_import_waits_for_the_first(campaign, olga):
    for _ in range(2):
        olga.post(reverse("collection", args=[campaign.slug]), {"posts": file("Posts.xml", POSTS)})
    assert Job.objects.count() == 1


def test_paths_on_the_server_are_offered_only_where_there_is_a_folder_for_them(campaign, olga):
    url = reverse("collection", args=[campaign.slug])
    assert "path on the server" not in olga.get(url).content.decode()
    olga.post(url, {"posts_path": "/etc/passwd"})
    assert not Job.objects.exists()


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "link", "absent.xml", ".", "a\0b"])
def test_paths_cannot_leave_the_import_folder(path, campaign, olga, settings, tmp_path):
    (tmp_path / "secret").write_text("s")
    settings.IMPORT_DIR = tmp_path / "import"
    settings.IMPORT_DIR.mkdir()
    (settings.IMPORT_DIR / "link").symlink_to(tmp_path / "secret")
    response = olga.post(reverse("collection", args=[campaign.slug]), {"posts_path": path})
    assert "posts_path" in response.context["form"].errors
    assert not Job.objects.exists()


def test_a_file_on_the_server_is_imported_and_stays(campaign, olga, settings, tmp_path):
    settings.IMPORT_DIR = tmp_path / "import"
    source = settings.IMPORT_DIR / "2020" / "Posts.xml"
    source.parent.mkdir(parents=True)
    source.write_text(POSTS)
    olga.post(reverse("collection", args=[campaign.slug]), {"posts_path": "2020/Posts.xml"})
    job = Job.objects.get()
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["counts"]["questions"]) == ("done", 1)
    assert source.exists()


def test_the_collection_page_tells_counts_hashes_and_notes(campaign, olga):
    one: Collection = campaign.collection
    one.counts, one.notes = {"questions": 1666, "formulas_in_comments": 3}, ["Posts.xml:9: no body"]
    one.sources = {"posts": {"name": "Posts.xml", "sha256": "ab" * 32}}
    one.save()
    page = olga.get(reverse("collection", args=[campaign.slug])).content.decode()
    for text in ("1,666", "Formulas in comments", "abababababababab", "Posts.xml:9: no body"):
        assert text in page
