"""Runs that are made here: written as a file of their task, then imported like any other."""

from typing import Any

from assess.models import Campaign, Job, Run
from assess.services.common import workspace
from assess.services.common.errors import Refused
from assess.services.jobs.job_queue import OnProgress
from assess.services.runs import runs
from assess.services.runs.metadata import RunMeta

TEAM = "Organizers"


def format_of(campaign: Campaign) -> Run.Format:
    return Run.Format.TASK2 if campaign.is_formulas else Run.Format.TASK1


def tag_of(name: str) -> str:
    """The name of a run as it stands in its file."""
    return " ".join(name.split())


def import_made(
    job: Job, text: str, record: dict[str, Any], on_progress: OnProgress, *, kind: str, **about: str
) -> Run:
    """Import the file of a run that a job has just made. ``record``: how, so that it can be made again; ``about``: more
    of its metadata. Raises Refused if the run is empty."""
    if not text:
        raise Refused("Nothing was retrieved for any topic, so there is no run.")
    campaign, name = job.campaign, job.params["name"]
    meta = RunMeta(f"{name}.tsv", TEAM, name, kind, format=format_of(campaign), **about)
    record |= {"job": job.pk, "seed": campaign.seed, "by": job.created_by.get_username()}
    path = workspace.new_path()
    try:
        path.write_text(text)
        return runs.import_runs(campaign, [runs.RunUpload(path, meta, record)], on_progress, job)[0]
    finally:
        path.unlink(missing_ok=True)
