"""A job's page: what it tells, where it leads, how it is stopped."""

from datetime import UTC, datetime

import pytest
from celery.signals import after_task_publish
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from assess.models import Campaign, Job
from assess.services.jobs import job_queue
from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.web.organizer import client_of, make_run

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def campaign(settings, tmp_path) -> Campaign:
    settings.MEDIA_ROOT = tmp_path / "media"
    return make_campaign()


@pytest.fixture
def olga(campaign):
    return client_of(make_cast(campaign).olga)


def make_job(campaign: Campaign, **fields: object) -> Job:
    job = job_queue.submit(
        campaign, str(fields.pop("kind", Job.Kind.RUNS)), campaign.members.get(role="organizer").user
    )
    Job.objects.filter(pk=job.pk).update(**fields)
    job.refresh_from_db()
    return job


@pytest.fixture
def published():
    """The ids of jobs whose message has reached the broker."""
    ids: list[int] = []

    def heard(body: object = None, **_: object) -> None:
        ids.append(body[0][0])

    after_task_publish.connect(heard)
    yield ids
    after_task_publish.disconnect(heard)


def test_a_form_leaves_a_row_and_then_a_message(campaign, olga, published, django_capture_on_commit_callbacks):
    posts = SimpleUploadedFile("Posts.xml", b"<posts/>")
    with django_capture_on_commit_callbacks() as callbacks:
        olga.post(reverse("collection", args=[campaign.slug]), {"posts": posts})
    job = Job.objects.get()
    assert (job.state, job.kind, job.created_by.username, published) == ("queued", "collection", "olga", [])
    for callback in callbacks:  # what the commit does
        callback()
    assert published == [job.pk]


def test_an_unfinished_job_asks_for_news_and_can_be_reloaded_and_cancelled(campaign, olga):
    job = make_job(campaign, state="running", done=3, total=4, message="reading gauss.tsv")
    page = olga.get(job.get_absolute_url()).content.decode()
    for part in ('hx-trigger="every 1s"', 'value="75"', "reading gauss.tsv", "<noscript>", "Cancel the job", "live"):
        assert part in page


def test_news_is_the_changing_part_alone(campaign, olga):
    job = make_job(campaign, state="running", done=1, total=4)
    part = olga.get(job.get_absolute_url(), headers=HTMX).content.decode()
    assert "<html" not in part
    assert 'value="25"' in part


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
def test_at_the_end_the_whole_page_is_asked_for_and_news_ends(state, campaign, olga):
    job = make_job(campaign, state=state)
    assert olga.get(job.get_absolute_url(), headers=HTMX).headers["HX-Refresh"] == "true"
    page = olga.get(job.get_absolute_url()).content.decode()
    assert "hx-get" not in page
    assert "Cancel the job" not in page


def test_a_failed_job_tells_each_problem_on_its_line(campaign, olga):
    job = make_job(campaign, state="failed", error="a.tsv:1: too <few> fields\na.tsv:2: too many")
    page = olga.get(job.get_absolute_url()).content.decode()
    assert "a.tsv:1: too &lt;few&gt; fields<br>a.tsv:2: too many" in page
    assert "Back to runs" in page


@pytest.mark.parametrize(
    ("kind", "result", "name", "arguments"),
    [
        ("collection", {}, "collection", []),
        ("runs", {}, "runs", []),
        ("pool", {"pool": 1}, "pool", []),
        ("pool_file", {"pool": 1}, "pool", []),
        ("freeze", {"pool": 1}, "pool", []),
        ("agreement", {"report": 1}, "agreement", []),
        ("release", {"release": 3}, "release", [3]),
        ("evaluate", {"evaluation": 5}, "evaluation", [5]),
    ],
)
def test_a_job_leads_on_to_what_it_made(kind, result, name, arguments, campaign, olga):
    job = make_job(campaign, kind=kind, state="done", result=result)
    page = olga.get(job.get_absolute_url()).content.decode()
    assert f'href="{reverse(name, args=[campaign.slug, *arguments])}">Continue to' in page


@pytest.mark.parametrize(
    ("kind", "result", "said"),
    [
        (
            "collection",
            {"counts": {"questions": 1666, "formulas_in_comments": 3}},
            ["Questions: 1,666", "Formulas in comments: 3"],
        ),
        (
            "runs",
            {"runs": ["half"]},
            ["half (T): 3 lines for 2 topics; the collection holds 1 of 2 documents, which is"],
        ),
        (
            "visual_ids",
            {"version": 1, "counts": {"formulas": 1200, "without": 0, "units": 1}},
            ["1,200 formulas with 1 different visual id</li>"],
        ),
        (
            "visual_ids",
            {"version": 1, "counts": {"formulas": 4, "without": 3, "units": 2}},
            ["4 formulas with 2 different visual ids; 3 formulas without</li>"],
        ),
        (
            "mixed",
            {"version": None, "counts": {"clusters": 0}},
            ["every visual id stands for formulas that look alike"],
        ),
        (
            "mixed",
            {"version": 2, "counts": {"clusters": 1, "moved": 2, "joined": 1, "new": 1}},
            ["1 mixed visual id found; 2 formulas would move. Nothing is changed until the repair is applied</li>"],
        ),
        (
            "repair",
            {"version": 2, "counts": {"clusters": 3, "moved": 2, "joined": 1, "new": 1}},
            ["3 mixed visual ids repaired; 2 formulas moved, and 1 visual id came new</li>"],
        ),
        ("pool", {"pool": 1}, ["8 answers for 2 topics", "4 of 4 different documents (100.0 %) without a text"]),
        ("freeze", {"pool": 2}, ["8 answers for 2 topics", "1 of 4 different documents (25.0 %) without a text"]),
    ],
)
def test_a_job_that_is_done_tells_what_came_of_it(kind, result, said, campaign, olga):
    make_run(campaign, name="half", coverage={"documents": 2, "known": 1})
    make_run(campaign, name="other")
    if "pool" in result:
        make_pool(campaign, frozen=kind == "freeze")  # 11, 12, 21 and 99 for each topic
        campaign.pools.update(version=result["pool"])
    job = make_job(campaign, kind=kind, state="done", result=result)
    page = olga.get(job.get_absolute_url()).content.decode()
    for text in said:
        assert f"<li>{text}" in page
    assert "other" not in page


def test_the_list_of_jobs_tells_what_came_of_visual_ids(campaign, olga):
    make_job(campaign, kind="mixed", state="done", result={"version": None, "counts": {"clusters": 0}})
    make_job(campaign, kind="mixed", state="running")
    page = olga.get(campaign.get_absolute_url()).content.decode()
    assert page.count("<td>every visual id stands for formulas that look alike</td>") == 1


def test_the_job_of_a_pool_counts_formulas_and_their_instances(olga):
    campaign = make_campaign("arqmath3-task2", "Formula lab")
    make_pool(campaign)  # v1 with three instances and v2 with one, for two topics
    job = make_job(campaign, kind="pool", state="done", result={"pool": 1})
    page = olga.get(job.get_absolute_url()).content.decode()
    assert "<li>4 visually distinct formulas with 8 instances for 2 topics</li>" in page


def test_a_job_that_is_done_leads_to_the_next_step(campaign, olga):
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()
    page = olga.get(make_job(campaign, kind="collection", state="done").get_absolute_url()).content.decode()
    assert f'<a class="button" href="{reverse("runs", args=[campaign.slug])}">Next step: Import runs<' in page
    assert '<a class="button quiet" href' in page  # back to the collection
    make_run(campaign)
    page = olga.get(make_job(campaign, kind="runs", state="done").get_absolute_url()).content.decode()
    assert f'href="{reverse("pool", args=[campaign.slug])}">Next step: Build the pool<' in page


def test_pages_of_what_is_imported_lead_to_the_next_step(campaign, olga):
    campaign.collection.counts = {"answers": 6}
    campaign.collection.sources = {"formulas": {"name": "index.tsv", "sha256": "ab"}}
    campaign.collection.save()
    to_runs = f'<a href="{reverse("runs", args=[campaign.slug])}">Import runs</a>'
    for name in ("topics", "collection"):
        assert to_runs in olga.get(reverse(name, args=[campaign.slug])).content.decode()
    make_run(campaign)
    assert "Build the pool</a>" in olga.get(reverse("runs", args=[campaign.slug])).content.decode()


def test_pages_of_people_lead_to_the_next_step(campaign, olga):
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()
    pool = make_pool(campaign)
    to_assignments = f'<a href="{reverse("assignments", args=[campaign.slug])}">Assign topics</a>'
    assert to_assignments in olga.get(reverse("members", args=[campaign.slug])).content.decode()
    for topic in ("A.1", "A.2"):
        make_assignment(pool, User.objects.get(username="ada"), topic=topic)
    assert "See who is still judging</a>" in olga.get(reverse("assignments", args=[campaign.slug])).content.decode()


@pytest.mark.parametrize(
    ("params", "about"),
    [
        ({"files": [{"meta": {"file": "a.tsv"}}, {"meta": {"file": "b.tsv"}}]}, "a.tsv, b.tsv"),
        ({"files": [{"name": "Posts.xml"}]}, "Posts.xml"),
        ({"files": [{"name": f"{n}.xml"} for n in range(5)]}, "0.xml, 1.xml, 2.xml and 2 more"),
        ({"path": "/uploads/1/x", "name": "pool.tsv"}, "pool.tsv"),
        ({"pool": 1, "note": "final"}, "final"),
    ],
)
def test_recent_jobs_say_what_they_are_about(params, about, campaign, olga):
    make_job(campaign, state="done", params=params)
    assert f"<td>{about}</td>" in olga.get(campaign.get_absolute_url()).content.decode()


def test_every_kind_of_job_leads_back_when_it_failed(campaign, olga):
    for kind in Job.Kind.values:
        job = make_job(campaign, kind=kind, state="failed", error="e")
        assert "Back to " in olga.get(job.get_absolute_url()).content.decode()


def test_a_waiting_job_is_cancelled_and_its_uploads_go(campaign, olga, settings):
    posts = SimpleUploadedFile("Posts.xml", b"<posts/>")
    olga.post(reverse("collection", args=[campaign.slug]), {"posts": posts})
    job = Job.objects.get()
    assert list((settings.MEDIA_ROOT / "uploads").iterdir())
    olga.post(reverse("job_cancel", args=[job.pk]))
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert not list((settings.MEDIA_ROOT / "uploads").iterdir())


def test_a_running_job_is_asked_to_stop(campaign, olga):
    job = make_job(campaign, state="running")
    page = olga.post(reverse("job_cancel", args=[job.pk]), follow=True).content.decode()
    job.refresh_from_db()
    assert (job.state, job.cancel) == ("running", True)
    assert "Stopping" in page


def test_a_job_tells_who_when_and_which_worker(campaign, olga):
    started = datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC)
    job = make_job(campaign, state="running", worker="host:42", started=started)
    page = olga.get(job.get_absolute_url()).content.decode()
    for part in ("by olga", "host:42", "1 March 2026, 12:30:05"):
        assert part in page


def test_organizers_of_other_campaigns_do_not_see_the_job(campaign, olga):
    other = make_campaign(name="Other")
    job = make_job(other)
    other.members.all().update(role="assessor")
    assert olga.get(job.get_absolute_url()).status_code == 403
    other.members.all().delete()
    outsider = client_of(make_cast().mallory)
    assert outsider.get(make_job(campaign).get_absolute_url()).status_code == 404


def test_a_jobs_page_takes_few_queries(campaign, olga, django_assert_num_queries):
    job = make_job(campaign)
    with django_assert_num_queries(5):
        olga.get(job.get_absolute_url(), headers=HTMX)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_page_follows_the_job_by_itself(page, live_server, sign_in):
    campaign = make_campaign()
    job = make_job(campaign, state="running", done=1, total=4, message="reading")
    sign_in(page, make_cast(campaign).olga)
    page.goto(live_server.url + job.get_absolute_url())
    Job.objects.filter(pk=job.pk).update(done=2, message="counting")
    page.get_by_text("counting").wait_for()
    assert page.locator("progress").get_attribute("value") == "50"
    Job.objects.filter(pk=job.pk).update(state="done")
    page.get_by_role("link", name="Continue to runs").wait_for()
    assert page.get_by_role("button", name="Cancel the job").count() == 0
