"""The page of a job: what it shows, where it leads, how it is cancelled."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery.signals import after_task_publish
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, Job, JobKind, kinds_of_jobs
from assess.services.jobs import job_queue
from assess.web.common import jobs as job_start
from tests.cast import make_campaign, make_cast, make_pool
from tests.web.organizer import make_run, url_of

pytestmark = pytest.mark.django_db


def make_job(campaign: Campaign, **fields: object) -> Job:
    kind = kinds_of_jobs()[str(fields.pop("kind", "runs"))]
    job = job_queue.submit(campaign, kind, campaign.members.get(role="organizer").user)
    Job.objects.filter(pk=job.pk).update(**fields)
    job.refresh_from_db()
    return job


def page_of(job: Job, client: Client) -> str:
    return shown(client, job.get_absolute_url())


def shown(client: Client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


def progress_of(job: Job) -> str:
    return reverse("job_progress", args=[job.pk])


@pytest.fixture
def published() -> Iterator[list[int]]:
    """The ids of jobs that were sent to the broker."""
    ids: list[int] = []

    def add(body: Any = None, **_: object) -> None:
        ids.append(body[0][0])

    after_task_publish.connect(add)
    yield ids
    after_task_publish.disconnect(add)


def test_a_form_stores_a_job_and_sends_it_after_the_commit(
    campaign: Campaign,
    olga: Client,
    published: list[int],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    posts = SimpleUploadedFile("Posts.xml", b"<posts/>")
    with django_capture_on_commit_callbacks() as callbacks:
        olga.post(reverse("collection", args=[campaign.slug]), {"posts": posts})
    job = Job.objects.get()
    assert (job.state, job.kind, job.created_by.username, published) == ("queued", "collection", "olga", [])
    for callback in callbacks:  # what the commit does
        callback()
    assert published == [job.pk]


def test_the_page_of_an_unfinished_job_updates_and_can_cancel_it(campaign: Campaign, olga: Client) -> None:
    started = datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC)
    at_work = {"message": "reading gauss.tsv", "worker": "host:42", "started": started}
    job = make_job(campaign, state="running", done=3, total=4, **at_work)
    page, part = page_of(job, olga), shown(olga, progress_of(job))
    assert ("<html" in part, 'value="75"' in part) == (False, True)
    assert "<html" in olga.get(job.get_absolute_url(), headers={"HX-Request": "true"}).content.decode()
    assert f'hx-get="{progress_of(job)}"' in page
    for part in ('hx-trigger="every 1s"', 'value="75"', "reading gauss.tsv", "<noscript>", "Cancel the job", "live"):
        assert part in page
    for part in ("by olga", "host:42", "1 Mar 2026, 12:30:05"):
        assert part in page


def test_a_job_that_waits_says_if_no_worker_listens(campaign: Campaign, olga: Client, no_worker: None) -> None:
    waiting = make_job(campaign)
    assert "Starts as soon as a worker is free" in shown(olga, progress_of(waiting))
    Job.objects.update(created=timezone.now() - 2 * job_queue.PROMPT)
    page = shown(olga, progress_of(waiting))
    assert "No background worker is listening" in page
    assert "<progress" not in page
    make_job(campaign, kind="release", state="running", heartbeat=timezone.now())
    assert "Starts as soon as a worker is free" in shown(olga, progress_of(waiting))


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
def test_at_the_end_the_whole_page_is_reloaded_and_updates_stop(state: str, campaign: Campaign, olga: Client) -> None:
    job = make_job(campaign, state=state, error="a.tsv:1: too <few> fields\na.tsv:2: too many")
    assert olga.get(progress_of(job)).headers["HX-Redirect"] == job.get_absolute_url()
    page = page_of(job, olga)
    assert "hx-get" not in page
    assert "Cancel the job" not in page
    assert "a.tsv:1: too &lt;few&gt; fields<br>a.tsv:2: too many" in page


@pytest.mark.parametrize("kind", kinds_of_jobs().values(), ids=kinds_of_jobs())
def test_a_job_leads_to_what_it_made_or_to_the_page_that_started_it(
    kind: JobKind, campaign: Campaign, olga: Client
) -> None:
    started = f'href="{url_of(kind.page, campaign)}">'
    failed = make_job(campaign, kind=kind.key, state="failed", error="e")
    assert f"{started}Back to {kind.page_label}<" in page_of(failed, olga)
    result: dict[str, Any] = {"counts": {"clusters": 0}}
    if kind.made:
        result[kind.made.name] = 3
    page = page_of(make_job(campaign, kind=kind.key, state="done", result=result), olga)
    if kind.made and not kind.made.model:  # else it is gone
        made = reverse(kind.made.page, args=[campaign.slug], query={kind.made.name: 3})
        assert f'href="{made}">Continue to {kind.made.label.format(3)}<' in page
    else:
        assert f"{started}Continue to {kind.page_label}<" in page


@pytest.mark.parametrize(
    ("kind", "result", "lines"),
    [
        ("collection", {"counts": {"questions": 1666, "formulas_in_comments": 3}},
         ["Questions: 1,666", "Formulas in comments: 3"]),
        ("runs", {"runs": ["half"]},
         ["half (T): 3 lines for 2 topics; the collection holds 1 of 2 documents, which is"]),
        ("verify", {"release": 1, "problems": 0}, ["no problems found"]),
        ("verify", {"release": 1, "problems": 2}, ["2 problems found"]),
        ("mixed", {"counts": {"clusters": 1, "moved": 2}},
         ["1 mixed visual id found; 2 formulas would move. Nothing changes until you apply the repair</li>"]),
        ("pool", {"pool": 1}, ["8 answers for 2 topics", "4 of 4 different documents (100.0 %) without a text"]),
        ("freeze", {"pool": 2}, ["8 answers for 2 topics", "1 of 4 different documents (25.0 %) without a text"]),
    ],
)  # fmt: skip
def test_the_results_show(
    kind: str, result: dict[str, Any], lines: list[str], campaign: Campaign, olga: Client
) -> None:
    make_run(campaign, name="half", coverage={"documents": 2, "known": 1})
    make_run(campaign, name="other")
    if "pool" in result:
        make_pool(campaign, frozen=kind == "freeze")  # 11, 12, 21 and 99 for each topic
        campaign.pools.update(version=result["pool"])
    page = page_of(make_job(campaign, kind=kind, state="done", result=result), olga)
    for line in lines:
        assert f"<li>{line}" in page
    assert "other" not in page


def test_pages_and_finished_jobs_lead_to_the_next_step(campaign: Campaign, olga: Client) -> None:
    campaign.collection.counts = {"answers": 6}
    campaign.collection.sources = {"formulas": {"name": "index.tsv", "sha256": "ab"}}
    campaign.collection.save()
    page = page_of(make_job(campaign, kind="collection", state="done"), olga)
    assert f'<a class="button quiet" href="{reverse("runs", args=[campaign.slug])}">Next step: Import runs<' in page
    for name in ("topics", "collection", "members"):
        page = olga.get(reverse(name, args=[campaign.slug])).content.decode()
        assert re.findall(r"Next step:</span> <a[^>]*>([^<]+)<", page) == ["Import runs"]
    make_pool(campaign)
    for action in ("Assign topics", "Add members"):
        page = olga.get(reverse("pool", args=[campaign.slug])).content.decode()
        assert re.findall(r'<a class="button" href="[^"]*">([^<]+)<', page) == [action]
        campaign.members.exclude(role="organizer").delete()


def test_all_jobs_are_listed_with_their_subjects_time_percent_and_time_left(
    campaign: Campaign, olga: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    make_job(campaign, state="running", started=now - timedelta(minutes=10), done=25, total=100, heartbeat=now)
    make_job(campaign, kind="release", state="done", started=now - timedelta(seconds=65), finished=now)
    for _ in range(4):
        make_job(campaign, kind="agreement", state="failed")
    subjects: dict[str, dict[str, Any]] = {
        "a.tsv and b.tsv": {"files": [{"meta": {"file": "a.tsv"}}, {"meta": {"file": "b.tsv"}}]},
        "0.xml, 1.xml, 2.xml and 2 more": {"files": [{"name": f"{number}.xml"} for number in range(5)]},
        "pool.tsv": {"path": "/uploads/1/x", "name": "pool.tsv"},
        "final": {"pool": 1, "note": "final"},
    }
    for params in subjects.values():
        make_job(campaign, state="done", params=params)
    overview = shown(olga, campaign.get_absolute_url())
    assert [about for about in subjects if f">{about}</td>" not in overview] == []
    assert f'href="{reverse("jobs", args=[campaign.slug])}">All jobs' in overview
    page = shown(olga, reverse("jobs", args=[campaign.slug]))
    assert page.count("Compute agreement") == 4
    for part in ("25 %", "about 30 min left", '<td class="num">10:00</td>', '<td class="num">1:05</td>'):
        assert part in page


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_job_can_be_started_again_with_its_uploads_until_it_is_deleted(
    campaign: Campaign, olga: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(job_start, "enqueue", sent.append)
    posts = SimpleUploadedFile("Posts.xml", b"<posts/>")
    olga.post(reverse("collection", args=[campaign.slug]), {"posts": posts})
    job = Job.objects.get()
    for _ in range(2):
        olga.post(reverse("job_cancel", args=[job.pk]))
        page = page_of(job, olga)
        assert all(part in page for part in ("Start again", "Delete", "The uploaded files are kept"))
        for _ in range(2):  # a double click
            assert olga.post(reverse("job_restart", args=[job.pk]))["Location"].startswith(job.get_absolute_url())
    assert sent == [job.pk] * 3
    olga.post(reverse("job_delete", args=[job.pk]))  # waiting
    olga.post(reverse("job_cancel", args=[job.pk]))
    assert list((settings.MEDIA_ROOT / "uploads").iterdir())
    address = reverse("job_delete", args=[job.pk])
    assert olga.post(address)["Location"] == reverse("jobs", args=[campaign.slug])
    assert olga.post(address).status_code == 404
    assert not list((settings.MEDIA_ROOT / "uploads").iterdir())


def test_a_job_is_started_again_like_a_new_one(campaign: Campaign, olga: Client) -> None:
    job = make_job(campaign, kind="pool", state="failed", created=timezone.now() - timedelta(days=1))
    other = make_job(campaign, kind="freeze")
    again = reverse("job_restart", args=[job.pk])
    assert "Freeze pool (Waiting)" in olga.post(again, follow=True).content.decode()
    other.delete()
    Campaign.objects.update(archived=timezone.now())
    assert "is archived" in olga.post(again, follow=True).content.decode()
    Campaign.objects.update(archived=None)
    assert olga.get(again).status_code == 405
    olga.post(again)
    job.refresh_from_db()
    assert (job.state, timezone.now() - job.created < timedelta(hours=1)) == ("queued", True)
    Job.objects.update(state="running", heartbeat=timezone.now())
    page = olga.post(reverse("job_cancel", args=[job.pk]), follow=True).content.decode()
    job.refresh_from_db()
    assert (job.state, job.cancel) == ("running", True), "only marked"
    assert re.search(r"<button[^>]* disabled>", page)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_page_follows_the_job(page: Page, live_server: LiveServer, sign_in: Callable[..., None]) -> None:
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


def test_a_job_that_ends_at_once_leads_to_its_result(campaign: Campaign, olga: Client) -> None:
    job = make_job(campaign, kind="agreement")
    page = shown(olga, f"{job.get_absolute_url()}?fresh")
    assert f'hx-get="{progress_of(job)}?fresh" hx-trigger="every 300ms"' in page
    Job.objects.update(state="done")
    onward = olga.get(f"{progress_of(job)}?fresh").headers["HX-Redirect"]
    result = olga.get(onward, follow=True)
    assert result.redirect_chain == [(reverse("agreement", args=[campaign.slug]), 302)]
    assert [message.message for message in result.context["messages"]] == ["Compute agreement: done."]
    Job.objects.update(kind="runs", result={"runs": [], "problems": 1})
    [message] = olga.get(onward, follow=True).context["messages"]
    assert (message.message, message.level_tag) == ("Import runs: done.", "warning")
    for state, found in (("failed", {}), ("done", {"notes": ["odd"]})):  # there is something to read
        Job.objects.update(state=state, result=found)
        assert olga.get(onward).status_code == 200
    Job.objects.update(result={}, created=timezone.now() - timedelta(minutes=1))  # one that took long has a page
    assert olga.get(onward).status_code == 200
    assert olga.get(f"{progress_of(job)}?fresh").headers["HX-Redirect"] == job.get_absolute_url()
