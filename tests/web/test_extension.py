"""The page on which a frozen pool is extended."""

import pytest
from django.urls import reverse

from assess.models import Job, Pool
from assess.services import extension
from tests.cast import make_campaign, make_cast, make_pool, tell
from tests.lab import add_run, client_of, import_runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(tmp_path):
    """A pool from a file, frozen; three runs that are not in it."""
    campaign = make_campaign()
    cast = make_cast(campaign)
    late = import_runs(campaign, tmp_path)
    campaign.runs.update(pool_role="none")
    return campaign, cast, make_pool(campaign), late


def sent(late, **more):
    given = {f"run{late[0].pk}": "primary", "primary_depth": 45, "alternate_depth": 20, "reason": "came late"}
    return {**given, **more}


def test_a_look_counts_what_would_come_and_changes_nothing(lab):
    campaign, cast, pool, late = lab
    pool.entries.filter(unit_id="12").delete()
    page = client_of(cast.olga).post(reverse("pool_extend", args=[campaign.slug]), sent(late, look=""))
    assert [tuple(one) for one in page.context["grown"]] == [("A.1", 1, 1)]
    assert "Extend by 1 answer" in page.content.decode()
    assert page.context["hours"] == pytest.approx(44.1 / 3600)
    assert "Less than 0.1 more hours of judging in all, at 44.1 seconds each" in page.content.decode()
    assert not Job.objects.exists()


def test_what_would_come_is_listed_by_the_numbers_of_the_topics(lab, tmp_path):
    campaign, cast, pool, _ = lab
    for number in (10, 3):
        campaign.topics.create(topic_id=f"A.{number}", number=number)
    rows = "".join(f"A.{number}\t12\t1\t1\tnew\n" for number in (1, 2, 3, 10))
    run = add_run(campaign, tmp_path, rows, pool_role="none")
    pool.entries.filter(unit_id="12").delete()
    data = sent([run], look="")
    page = client_of(cast.olga).post(reverse("pool_extend", args=[campaign.slug]), data)
    assert [one.topic_id for one in page.context["grown"]] == ["A.1", "A.2", "A.3", "A.10"]


def test_extending_is_a_job_that_knows_all_that_was_chosen(lab):
    campaign, cast, pool, late = lab
    pool.entries.filter(unit_id="12").delete()
    client, url = client_of(cast.olga), reverse("pool_extend", args=[campaign.slug])
    seen = client.post(url, sent(late, look="")).context["form"]["seen"].value()
    page = client.post(url, sent(late, extend="", seen=seen, primary_depth=46))
    assert "Your choices have changed since you looked" in page.content.decode()
    assert not Job.objects.exists()
    client.post(url, sent(late, extend="", seen=seen))
    job = Job.objects.get()
    assert (job.kind, job.params) == (
        "extend",
        {
            "pool": pool.pk,
            "roles": {str(late[0].pk): "primary"},
            "depths": {"primary_depth": 45, "alternate_depth": 20},
            "reason": "came late",
        },
    )


def test_nothing_new_and_less_depth_are_said_at_the_form(lab):
    campaign, cast, _, late = lab
    url = reverse("pool_extend", args=[campaign.slug])
    form = client_of(cast.olga).post(url, sent(late, look="")).context["form"]
    assert "nothing new" in str(form.errors)
    form = client_of(cast.olga).post(url, sent(late, look="", primary_depth=44)).context["form"]
    assert "primary_depth" in form.errors


def test_the_pool_tells_its_versions_and_gives_each_as_a_file(lab):
    campaign, cast, pool, late = lab
    pool.entries.filter(unit_id="12").delete()
    first = pool.version
    extension.extend(pool, extension.Change({late[0].pk: "primary"}, {}, "came late"), cast.olga, tell)
    client = client_of(cast.olga)
    assert "came late" in client.get(reverse("pool", args=[campaign.slug])).content.decode()
    old = client.get(reverse("pool_file", args=[campaign.slug, first])).content
    new = client.get(reverse("pool_file", args=[campaign.slug, Pool.objects.get().version])).content
    assert len(new.splitlines()) == len(old.splitlines()) + 1
    assert client.get(reverse("pool_file", args=[campaign.slug, 9])).status_code == 404


def test_an_open_pool_is_built_again_instead(lab):
    campaign, cast, pool, _ = lab
    Pool.objects.filter(pk=pool.pk).update(frozen=None)
    assert client_of(cast.olga).get(reverse("pool_extend", args=[campaign.slug])).status_code == 302
