"""Who did what in a campaign, and when."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePath
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from assess.models import Action, Campaign, Job
from assess.services.common.wording import listed

SHOWN = 3
"""The most files of a job that are named."""


class HistoryLine(NamedTuple):
    """``by``: a user name; ``job``: if a worker did it; ``place``: where it is seen, as `Action` has it."""

    at: datetime
    by: str
    text: str
    job: Job | None = None
    place: dict[str, Any] = {}

    @property
    def about(self) -> str:
        """What the job is about; empty for what a person did."""
        return about(self.job) if self.job else ""


def about(job: Job) -> str:
    """What a job is about, in a few words: the names of its files, or the note of a release."""
    files = job.params.get("files", [])
    names = [PurePath(file["meta"]["file"] if "meta" in file else file["name"]).name for file in files]
    about = job.params | job.params.get("meta", {})
    return listed(names or [text for key in ("name", "note") if (text := about.get(key))], SHOWN)


def note(
    by: User, action: str, campaign: Campaign, objects: Iterable[str] = (), *, reason: str = "", **at: object
) -> Action:
    """Add to the history of a campaign what a person did, in the transaction that does it. ``action``: a sentence
    without its full stop, such as "Assigned 2 topics"; ``objects``: to what; ``at``: the ``page`` where it is seen, and
    what its address says besides the campaign."""
    kept = {"action": action, "objects_named": [*objects], "reason": reason, "place": at}
    return Action.objects.create(campaign=campaign, by=by, **kept)


def history(campaign: Campaign) -> list[HistoryLine]:
    """What people and, at their request, workers did; the latest first. Two queries."""
    actions = campaign.actions.select_related("by")
    done = [HistoryLine(each.at, each.by.username, str(each), place=each.place) for each in actions]
    jobs = campaign.jobs.select_related("created_by").defer("result")
    worked = [HistoryLine(job.created, job.created_by.username, job.title, job) for job in jobs]
    return sorted([*done, *worked], key=lambda entry: entry.at, reverse=True)
