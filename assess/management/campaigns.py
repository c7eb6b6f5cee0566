"""What the commands on the database share: refusals, verbs about campaigns, and jobs done at once."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, ProgrammingError

from assess.ir.common.problems import BadInput, refuse
from assess.management.output import Cell, TableCommand
from assess.models import Campaign, Job, Member, OnProgress, Qrels, kinds_of_jobs
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue

Arguments = Sequence[tuple[str, Mapping[str, Any]]]
CAMPAIGN: Arguments = [("campaign", {"help": "the campaign's name in its address: see campaign list"})]


class OperatorCommand(BaseCommand):
    """What is refused ends it with the reason."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except (BadInput, Refused) as error:
            raise CommandError(str(error)) from error


def add_verbs(command: TableCommand, parser: CommandParser, verbs: Mapping[str, Arguments], **options: Any) -> None:
    """A parser for each method of the command with the name of a verb; the docstring of the method is its help."""
    parts = parser.add_subparsers(dest="what", **options)
    for verb, arguments in verbs.items():
        about = inspect.getdoc(getattr(command, verb)) or ""
        part = parts.add_parser(verb, help=about.splitlines()[0], description=about)
        TableCommand.add_arguments(command, part)
        for name, how in arguments:
            part.add_argument(name, **how)


class CampaignCommand(TableCommand):
    """A verb is a method that sets the header and yields rows. What is refused ends with exit code 2."""

    verbs: Mapping[str, Arguments] = {}

    def add_arguments(self, parser: CommandParser) -> None:
        add_verbs(self, parser, self.verbs, required=True)

    def rows(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        yield from rows_of_verb(self, options)


def rows_of_verb(command: TableCommand, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
    try:
        yield from getattr(command, options["what"])(options)
    except Refused as error:
        command.fail(str(error))
    except (OperationalError, ProgrammingError):
        command.check_migrations()  # says so if tables are missing
        raise


def campaign_named(slug: str) -> Campaign:
    """Raises BadInput with the names that there are."""
    if campaign := Campaign.objects.filter(slug=slug).first():
        return campaign
    slugs = ", ".join(Campaign.objects.order_by("slug").values_list("slug", flat=True)) or "none"
    raise refuse("campaign", f"there is no {slug}; there are: {slugs}")


def release_of(slug: str, version: int) -> Qrels:
    """Raises BadInput with the releases that there are."""
    campaign = campaign_named(slug)
    releases = {release.version: release for release in Qrels.objects.of(campaign).select_related("pool__campaign")}
    if version not in releases:
        there = ", ".join(map(str, sorted(releases))) or "none"
        raise refuse("release", f"{campaign} has no release {version}; there are: {there}")
    return releases[version]


def do_job(command: TableCommand, campaign: Campaign, key: str, **params: Any) -> Job:
    """Do a job here and now, for the first organizer; its progress goes to stderr. Raises Refused as pages do, and if
    the job fails."""
    kind = kinds_of_jobs()[key]
    organizers = campaign.members.filter(role=Member.Role.ORGANIZER).order_by("pk")
    job = job_queue.claim(job_queue.submit(campaign, kind, organizers[0].user, **params).pk)
    assert job is not None  # nobody else knows of it

    def step(job: Job, progress: OnProgress) -> dict[str, Any]:
        def tell(done: int, total: int = 0, message: str = "") -> None:
            command.stderr.write(f"{message or kind.title}{f' ({done} of {total})' if total else ''}")
            progress(done, total, message)

        return kind.step(job, tell)

    job_queue.perform(job, step)
    job.refresh_from_db()
    if job.state != Job.State.DONE:
        raise Refused(job.error or f"{kind.title}: {job.get_state_display()}")
    return job
