"""Choosing a collection and importing its files on the pages."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from assess.ir.campaign.presets import PRESETS
from assess.models import Campaign, Collection, Job
from assess.services.campaign import campaigns
from assess.tasks import run_job
from tests.cast import make_campaign, make_pool, make_user
from tests.web.organizer import bare_campaign, fields_refused, file, make_run, started

pytestmark = pytest.mark.django_db

POSTS = """<posts>
<row Id="1" PostTypeId="1" Title="T" Body="&lt;p&gt;Q&lt;/p&gt;" Tags="&lt;sets&gt;" OwnerUserId="7" />
<row Id="2" PostTypeId="2" ParentId="1" Body="&lt;p&gt;A&lt;/p&gt;" />
</posts>"""


@pytest.fixture
def url(campaign: Campaign) -> str:
    return reverse("collection", args=[campaign.slug])


def test_a_collection_is_created_or_shared(campaign: Campaign, olga: Client) -> None:
    bare, twin = bare_campaign("arqmath3-task2"), bare_campaign("arqmath3-task1")
    campaigns.use_collection(twin, campaign.collection, make_user("oskar"))
    url = reverse("collection", args=[bare.slug])
    page = olga.get(url).content.decode()
    assert page.count(f"{campaign.collection} ({campaign}, {twin})</option>") == 1
    assert fields_refused(olga.post(url, {"name": ""})) == {"__all__"}
    assert fields_refused(olga.post(url, {"name": campaign.collection.name})) == {"name"}
    assert f'value="{bare.name}"' in page  # a name counts unless a collection is chosen
    assert olga.post(url, {"name": bare.name, "share": campaign.collection.pk})["Location"] == url
    assert str(bare.actions.get()) == f"Collection chosen: {campaign.collection}."
    bare.refresh_from_db()
    assert bare.collection == campaign.collection
    early = bare_campaign("arqmath3-task1")
    make_run(early)
    response = olga.post(reverse("collection", args=[early.slug]), {"share": campaign.collection.pk})
    job = Job.objects.get()  # looks up its runs
    assert response["Location"] == job.get_absolute_url()
    assert (job.campaign, job.params) == (early, {"collection": campaign.collection.pk, "files": []})
    frozen = make_campaign(name="Frozen without collection")
    make_pool(frozen)
    Campaign.objects.filter(pk=frozen.pk).update(collection=None)
    assert fields_refused(olga.post(reverse("collection", args=[frozen.slug]), {"name": "New"})) == {"__all__"}
    assert not Collection.objects.filter(name="New").exists()


def test_job_imports_a_collection_and_removes_the_uploads(url: str, olga: Client, settings: Settings) -> None:
    users = '<users><row Id="7" DisplayName="Emmy" /></users>'
    sent = {"posts": file("Posts.xml", POSTS), "first_year": 2018, "last_year": 2010}
    assert fields_refused(olga.post(url, sent)) == {"last_year"}
    sent = {"posts": file("Posts.xml", POSTS), "users": file("Users.xml", users), "first_year": 2018, "last_year": 2018}
    response = olga.post(url, sent)
    job = Job.objects.get()
    assert job.params["years"] == [2018, 2018]
    assert response["Location"] == started(job)
    names = [file["path"] for file in job.params["files"]]
    assert all(name.startswith("uploads/") for name in names)  # other hosts may mount the media store elsewhere
    uploads = [settings.MEDIA_ROOT / name for name in names]
    assert [path.read_text() for path in uploads] == [POSTS, users]
    assert olga.get(url).context["running"] == job
    olga.post(url, {"posts": file("Posts.xml", POSTS)})
    assert Job.objects.count() == 1, "another import runs"
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["counts"]["answers"]) == ("done", 1)
    assert not any(path.parent.exists() for path in uploads)
    response = olga.get(url)
    assert response.context["files"][0][1]["name"] == "Posts.xml"
    assert response.context["running"] is None


def test_files_without_their_posts_are_refused(url: str, olga: Client) -> None:
    refused = {
        (): "__all__",  # at least one file
        ("comments",): "posts",  # posts or a formula index first
        ("formulas", "votes"): "posts",  # scores go into posts
    }
    for kinds, field in refused.items():
        response = olga.post(url, {kind: file("f", "x") for kind in kinds} or {"posts": ""})
        assert fields_refused(response) == {field}
    assert not Job.objects.exists()


def test_files_for_a_collection_with_a_frozen_pool_are_refused(campaign: Campaign, url: str, olga: Client) -> None:
    make_pool(campaign)
    response = olga.post(url, {"posts": file("Posts.xml", POSTS)})
    assert fields_refused(response) == {"__all__"}
    assert response.context["frozen"]
    page = response.content.decode()
    assert re.findall(r'type="file" name="(\w+)"', page) == ["formulas"], "an index changes no text"
    assert "still import a formula index, which changes no text" in page
    Campaign.objects.update(protocol=PRESETS["arqmath3-task2"].to_dict())
    page = olga.get(url).content.decode()
    assert ('type="file"' in page, "A new campaign needs another collection." in page) == (False, True)
