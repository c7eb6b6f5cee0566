"""The fixtures: the browser reports problems of pages, and the worker is another process on the same database."""

import time

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from assess.models import Job
from assess.services import job_kinds
from assess.services.campaign import campaigns
from assess.services.jobs import job_queue
from assess.tasks import enqueue
from tests.browser.desk.desk import until
from tests.servers import within


def submitted_job() -> Job:
    olga = User.objects.create_user("olga")
    campaign = campaigns.create_campaign(name="Small lab", preset="arqmath1-task1", by=olga)
    return job_queue.submit(campaign, job_kinds.import_runs, olga, files=[])


@pytest.mark.worker
@pytest.mark.django_db(transaction=True)
def test_a_job_is_done_once_by_another_process_even_if_enqueued_again(worker: object) -> None:
    job = submitted_job()
    for _ in range(3):
        enqueue(job.pk)
    assert within(30, lambda: Job.objects.get(pk=job.pk).is_finished)
    job.refresh_from_db()
    assert job.worker != job_queue.this_worker()
    started = job.started
    time.sleep(1)  # the other two messages arrive
    job.refresh_from_db()
    assert (job.state, job.started) == (Job.State.DONE, started)


@pytest.mark.browser
@pytest.mark.problems_expected
@pytest.mark.django_db(transaction=True)
def test_forbidden_scripts_and_requests_to_other_hosts_are_blocked_and_reported(
    page: Page, problems: list[str]
) -> None:
    page.set_content('<img src="http://elsewhere.example/x.png">')
    until(page, lambda: "request to another host: http://elsewhere.example/x.png" in problems)
    problems.clear()
    page.goto("/admin/login/")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: '1'}))")
    until(page, lambda: problems)
    assert any("Content Security Policy" in problem for problem in problems)
