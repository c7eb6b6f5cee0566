"""The page on which a frozen pool is extended."""

from importlib import import_module

import pytest
from django.apps import apps
from django.template.defaultfilters import date
from django.urls import reverse
from django.utils.timezone import localtime

from assess.models import Job, Pool
from assess.services.collection.preparing import SourceFile
from assess.services.pool import extension, pools
from tests.cast import import_files, make_campaign, make_cast, make_pool, on_progress
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


def test_a_look_lists_the_new_documents_without_a_text(lab, tmp_path):
    campaign, cast, pool, _ = lab
    path = tmp_path / "Posts.xml"
    question, answer = 'Id="20" PostTypeId="1" Title="T" Body="Q"', 'Id="22" PostTypeId="2" ParentId="20" Body="A"'
    path.write_text(f"<posts><row {question}/><row {answer}/></posts>")
    pools.unfreeze(pool)
    import_files(campaign.collection, [SourceFile("posts", path.name, path)], on_progress)
    pools.freeze(pool, on_progress)
    rows = "A.1\t98\t1\t2\tnew\nA.2\t97\t1\t5\tnew\nA.2\t98\t2\t4\tnew\nA.2\t22\t3\t3\tnew\nA.2\t99\t4\t2\tnew\n"
    run = add_run(campaign, tmp_path, rows, pool_role="none")  # the pool holds 99 already
    page = client_of(cast.olga).post(reverse("pool_extend", args=[campaign.slug]), sent([run], look=""))
    assert [row[:2] for row in page.context["rows"]] == [("A.1", "98"), ("A.2", "97"), ("A.2", "98")]
    text = " ".join(page.content.decode().split())
    assert "2 of 3 different documents (66.7 %) that it would bring have no text." in text
    assert reverse("pool_missing", args=[campaign.slug, pool.version]) in text
    assert "Every new document has a text" not in text


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
    extension.extend(pool, extension.Change({late[0].pk: "primary"}, {}, "came late"), cast.olga, on_progress)
    client = client_of(cast.olga)
    assert "came late" in client.get(reverse("pool", args=[campaign.slug])).content.decode()
    old = client.get(reverse("pool_file", args=[campaign.slug, first])).content
    new = client.get(reverse("pool_file", args=[campaign.slug, Pool.objects.get().version])).content
    assert len(new.splitlines()) == len(old.splitlines()) + 1
    assert client.get(reverse("pool_file", args=[campaign.slug, 9])).status_code == 404


def test_every_version_says_when_and_by_whom(lab):
    campaign, cast, pool, late = lab
    pools.unfreeze(pool)
    pools.freeze(pool, on_progress, cast.kurt)
    pool.entries.filter(unit_id="12").delete()
    extension.extend(pool, extension.Change({late[0].pk: "primary"}, {}), cast.olga, on_progress)
    for name in ("pool", "pool_extend"):
        page = client_of(cast.olga).get(reverse(name, args=[campaign.slug]))
        made = [(one["version"], one["by"], one["made"]) for one in page.context["versions"]]
        assert made == [(2, "olga", pool.extended), (1, "kurt", pool.frozen)]
        for when in (pool.extended, pool.frozen):
            assert f"<td>{date(localtime(when), 'j M Y, H:i')}</td>" in page.content.decode()


def test_who_froze_earlier_pools_is_found_by_their_jobs(lab):
    campaign, cast, pool, late = lab
    pool.entries.filter(unit_id="12").delete()
    extension.extend(pool, extension.Change({late[0].pk: "primary"}, {}), cast.olga, on_progress)
    for person, state in ((cast.kurt, "done"), (cast.olga, "failed")):
        Job.objects.create(campaign=campaign, kind="freeze", state=state, params={"pool": pool.pk}, created_by=person)
    import_module("assess.migrations.0014_pools").find_who_froze(apps, None)
    pool.refresh_from_db()
    assert (pool.frozen_by, [was["by"] for was in pool.history]) == (cast.kurt, ["kurt"])


def test_the_planner_leads_here_with_its_depths_which_only_grow(lab):
    campaign, cast, _, _ = lab
    url = reverse("pool_extend", args=[campaign.slug])
    form = client_of(cast.olga).get(url, {"primary": 50, "alternate": 3}).context["form"]
    assert (form["primary_depth"].value(), form["alternate_depth"].value()) == (50, 20)
    form = client_of(cast.olga).get(url, {"primary": "x"}).context["form"]
    assert (form["primary_depth"].value(), form["alternate_depth"].value()) == (45, 20)


def test_an_open_pool_is_built_again_instead(lab):
    campaign, cast, pool, _ = lab
    Pool.objects.filter(pk=pool.pk).update(frozen=None)
    assert client_of(cast.olga).get(reverse("pool_extend", args=[campaign.slug])).status_code == 302
