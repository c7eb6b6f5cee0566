"""What the tests of the organizers' pages share."""

from typing import Any

import polars as pl
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.ir.runs.ranking import RANKING, pack
from assess.models import Campaign, Job, Ranking, Run
from assess.services.campaign import campaigns
from assess.tasks import run_job
from benchmarks.parts import address_of


def make_run(campaign: Campaign, **fields: object) -> Run:
    """A run that has retrieved nothing, primary and manual unless said otherwise."""
    about: dict[str, Any] = {"name": "r", "team": "T", "kind": "primary", "method": "manual", "data": "both"}
    about |= {"pool_role": "primary", "format": "task1", "file_name": "r.tsv", "lines": 3, "topics": 2, **fields}
    run = Run.objects.create(campaign=campaign, sha256=about["name"], **about)
    Ranking.objects.create(run=run, packed=pack(RANKING.to_frame().with_columns(can_pool=pl.lit(True))))
    return run


def file(name: str, content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def errors_of(response: Any) -> str:
    return response.context["form"].errors.as_text()


def fields_refused(response: Any) -> set[str]:
    """The fields of a form that have errors; ``__all__`` for the form as a whole."""
    return set(response.context["form"].errors)


def bare_campaign(preset: str) -> Campaign:
    """Another campaign of olga's, without topics and collection."""
    return campaigns.create_campaign(name=preset, preset=preset, by=User.objects.get(username="olga"))


def url_of(name: str, campaign: Campaign, **arguments: object) -> str:
    return address_of(name, slug=campaign.slug, **arguments)


def text_of(client: Client, name: str, campaign: Campaign, **arguments: object) -> str:
    response = client.get(url_of(name, campaign, **arguments))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def messages_of(response: Any) -> list[str]:
    """The messages on the next page."""
    return [str(message) for message in response.context["messages"]]


def started(job: Job) -> str:
    """Where a form that starts a job leads to."""
    return f"{job.get_absolute_url()}?fresh"


def latest_job_done() -> Job:
    """The last job, after a worker has done it."""
    run_job(Job.objects.latest("pk").pk)
    return Job.objects.latest("pk")


def run_made_after(response: Any) -> Run:
    """The run that the job makes which a form has started."""
    job = Job.objects.latest("pk")
    assert response.url == started(job)
    job = latest_job_done()
    assert job.error == ""
    return Run.objects.get(pk=job.result["run"])
