"""Who did what in a campaign, and when."""

from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User

from assess.models import Action, Campaign, Job


class HistoryLine(NamedTuple):
    """One line of the history; ``job``: if a worker did it."""

    at: datetime
    by: User
    text: str
    job: Job | None = None


def note(slug: str, by: User, text: str) -> None:
    """Add what a person did to the history of a campaign, if it still exists."""
    if campaign := Campaign.objects.filter(slug=slug).first():
        Action.objects.create(campaign=campaign, by=by, text=text)


def history(campaign: Campaign) -> list[HistoryLine]:
    """What people and, at their request, workers did; the latest first. Two queries."""
    done = [HistoryLine(each.at, each.by, each.text) for each in campaign.actions.select_related("by")]
    jobs = campaign.jobs.select_related("created_by").defer("params", "result")
    worked = [HistoryLine(job.created, job.created_by, job.get_kind_display(), job) for job in jobs]
    return sorted([*done, *worked], key=lambda entry: entry.at, reverse=True)
