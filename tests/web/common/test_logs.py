"""What an operator reads: the log as JSON, and the metrics."""

import json
import logging
import os
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from assess.models import Assignment, Job
from assess.services import job_kinds
from assess.services.campaign import accounts
from assess.services.jobs import job_queue
from assess.web.common.logs import JsonLines, OnlyOurFaults
from tests.cast import make_campaign, make_user

pytestmark = pytest.mark.django_db


def lines(caplog: pytest.LogCaptureFixture, logger: str) -> list[dict[str, Any]]:
    shown = [json.loads(JsonLines().format(record)) for record in caplog.records if record.name == logger]
    caplog.clear()
    return shown


def test_a_request_is_one_line_with_its_person_status_time_and_queries(
    caplog: pytest.LogCaptureFixture, answers: Assignment
) -> None:
    caplog.set_level(logging.INFO, "assess.requests")
    ada = Client()
    ada.force_login(answers.assessor)
    response = ada.get("/account/", headers={"X-Request-ID": "of-the-proxy-1"})
    (line,) = lines(caplog, "assess.requests")
    assert line.pop("ms") > 0
    assert line.pop("queries") >= 2  # session and person
    assert line.pop("at").endswith("+00:00")
    assert (line.pop("level"), line.pop("logger")) == ("INFO", "assess.requests")
    fields = {"user": "ada", "method": "GET", "path": "/account/", "status": 200}
    assert line == {"message": "GET /account/ 200", **fields}
    assert response["X-Request-ID"] == "of-the-proxy-1"
    for odd in ("", "two words", "a" * 129, "ä", '"}'):
        assert len(ada.get("/account/", headers={"X-Request-ID": odd})["X-Request-ID"]) == 32, odd


def test_the_person_of_a_token_is_named_and_nobody_is_looked_up(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "assess.requests")
    ada = make_user("ada")
    secret = accounts.make_api_token(ada, "script", "read", 1)[1]
    Client().get("/api/campaigns/", headers={"Authorization": f"Bearer {secret}"})
    Client().get("/healthz")
    assert [line["user"] for line in lines(caplog, "assess.requests")] == ["ada", ""]


def test_a_traceback_stays_in_one_line_and_no_mail_is_sent_for_what_passes() -> None:
    def record(error: Exception) -> logging.LogRecord:
        return logging.LogRecord("x", logging.ERROR, "", 1, "failed: %s", ("a",), (type(error), error, None))

    line = JsonLines().format(ours := record(ValueError("of two\nlines")))
    assert "\n" not in line
    assert json.loads(line)["traceback"].endswith("ValueError: of two\nlines")
    assert OnlyOurFaults().filter(ours)
    assert not OnlyOurFaults().filter(record(OSError(28, "No space left on device")))


def test_servers_and_workers_log_lines_of_json_and_all_lines_of_a_request_carry_its_id() -> None:
    """A worker does not say that a task succeeded."""
    code = """
import django, logging
django.setup()
from django.test import Client
from assess.celery import app
Client().get("/%00", headers={"X-Request-ID": "r1", "host": "localhost"})
app.log.setup(loglevel="INFO")
logging.getLogger("celery.worker").info("ready")
logging.getLogger("celery.app.trace").info("succeeded")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "assess.settings", "LOG_FORMAT": "json"},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )
    *asked, ready = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(line["logger"], line["request"]) for line in asked] == [
        ("django.request", "r1"),
        ("assess.requests", "r1"),
    ]
    assert ready["message"] == "ready"


def test_the_end_of_a_job_is_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "assess.jobs")
    job = waiting_job()

    def broken(job: Job, progress: object) -> dict[str, Any]:
        raise ZeroDivisionError

    job_queue.perform(job_queue.claim(job.pk), broken)
    job_queue.restart(job, job.created_by)
    job_queue.perform(job_queue.claim(job.pk), lambda job, progress: {})
    shown = lines(caplog, "assess.jobs")
    assert [(line["job"], line["kind"], line["outcome"]) for line in shown] == [
        (job.pk, "pool", "failed"),
        (job.pk, "pool", "succeeded"),
    ]
    assert shown[0]["seconds"] >= 0


def waiting_job() -> Job:
    campaign = make_campaign()
    return job_queue.submit(campaign, job_kinds.build_pool, campaign.members.get().user, depth=3)


def test_metrics_have_requests_queue_age_and_failed_jobs_for_the_token_only(settings: Settings) -> None:
    assert Client().get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404  # without the setting
    before, after = (f"django_prometheus.middleware.Prometheus{name}Middleware" for name in ("Before", "After"))
    settings.MIDDLEWARE = [before, *settings.MIDDLEWARE, after]
    settings.METRICS_TOKEN = "t"
    assert {Client().get("/metrics", headers=sent).status_code for sent in ({}, {"Authorization": "Bearer x"})} == {404}
    waiting_job()
    Client().get("/login/")
    text = Client().get("/metrics", headers={"Authorization": "Bearer t"}).content.decode()
    samples = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    answered = 'django_http_responses_total_by_status_view_method_total{method="GET",status="200",view="login"}'
    assert float(samples[answered]) > 0
    assert 0 < float(samples["assess_queue_age_seconds"]) < 60
    assert (samples['assess_jobs{state="queued"}'], samples['assess_jobs{state="failed"}']) == ("1", "0")


def test_administrators_find_all_jobs(client: Client) -> None:
    job = waiting_job()
    Job.objects.update(state=Job.State.FAILED, error="A file could not be read")
    client.force_login(User.objects.create_superuser("root"))
    link = f'href="/admin/assess/job/{job.pk}/change/'
    page = client.get("/admin/assess/job/", {"state": "failed", "q": "could not"}).content.decode()
    assert link in page
    assert job.title in page
    assert link not in client.get("/admin/assess/job/?state=done").content.decode()
    assert client.get(f"/admin/assess/job/{job.pk}/change/").status_code == 200
