"""Pages and jobs while the database grows: ``python -m benchmarks.growth`` (ten minutes).

A campaign of 10,000 judgments of the labs' real posts, all of its topics judged, is measured alone, then beside copies
of it with 100,000 judgments in all, then with 1,000,000: every page of its organizer, the start page of somebody who
organizes all of the copies, the administrators' lists, a save and the jobs over judgments, each in milliseconds of the
processor, the database of SQLite included; and at the end the backup. No page may take more queries or much more time
because other campaigns are there, and all must stay within their limits; `benchmarks.pages` has the limits of a large
campaign. ``--quick`` measures 1,000 judgments alone and beside 50,000, under 50 seconds; ``--engine PostgreSQL`` runs
on a server of its own (the tests' packages are needed). The exit code is 0 only if all is kept.
"""

import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks import pages
from benchmarks.load import database
from benchmarks.measuring import Figure, clocked, options_of, prepare_django, report_figures, silent

if TYPE_CHECKING:
    from django.db.models import Model
    from django.test import Client

    from assess.models import Campaign

FULL = (pages.Size(40, 200, 40, 5), (10_000, 100_000, 1_000_000))
QUICK = (pages.Size(10, 80, 10, 2), (1_000, 50_000))
GROWS_BY, SLACK_MS = 1.5, 20.0
"""A page grows if the quickest time is so many times that alone, and so many milliseconds more."""
LIMIT_MS = 400.0
OWN_LIMITS_MS = {"pool_plan": 800.0}
JOB_LIMITS_MS = {"save": 60.0, "agreement": 2_000.0, "release": 5_000.0, "verify": 5_000.0}
BACKUP_LIMIT = 60.0
"""Seconds of the processor for a million judgments."""
ADMIN = tuple(f"admin:assess_{name}_changelist" for name in ("campaign", "member", "run", "job", "judgmentevent"))
GROWING = ("home", *ADMIN)
"""What shows all campaigns; it has its limit only."""
SKIPPED = {"Collection", "Post", "Comment", "PostLink", "Score", "RankProfile", "ReliabilityReport", "WhatIf"}
"""What copies share, and values of evaluations, which no judgment adds to."""


class Measured(NamedTuple):
    """The quickest time of a page, which what else the machine does disturbs least, and its queries; a job has none."""

    name: str
    milliseconds: float
    queries: int
    limit: float

    def problems(self, alone: "Measured") -> Iterator[str]:
        if self.milliseconds > self.limit:
            yield f"over {self.limit:g} ms"
        if self.milliseconds > GROWS_BY * alone.milliseconds + SLACK_MS and self.name not in GROWING:
            yield f"{alone.milliseconds:.0f} ms alone"
        if self.queries > alone.queries:
            yield f"{alone.queries} queries alone"

    def line(self, alone: "Measured") -> str:
        problems = "; ".join(self.problems(alone))
        missed = f"  MISSED ({problems})" if problems else ""
        return f"{self.name:40} {self.milliseconds:8.0f} {self.queries:8}{missed}"


Again = tuple[Measured, Callable[[], float]]


def copied_models() -> "list[type[Model]]":
    """Accounts, and every table of a campaign that has rows."""
    from django.apps import apps
    from django.contrib.auth.models import User

    own = [model for model in apps.get_app_config("assess").get_models() if model.__name__ not in SKIPPED]
    return [User, *(model for model in own if model._base_manager.exists())]


class Copies:
    """Copies of a campaign, made by the database with keys that are larger by a step for each copy."""

    def __init__(self, campaign: "Campaign") -> None:
        from django.db.models import Max

        self.campaign, self.models, self.count = campaign, copied_models(), 0
        self.step = 1 + max(model._base_manager.aggregate(last=Max("pk"))["last"] for model in self.models)

    def add(self, count: int) -> None:
        """So many more copies, all of them organized by the organizer of the first, too."""
        from django.core.management.color import no_style
        from django.db import connection, transaction

        from assess.models import Campaign, Member

        organizer = self.campaign.members.filter(role="organizer")[0].user
        with transaction.atomic(), connection.cursor() as cursor:
            for number in range(self.count + 1, self.count + count + 1):
                for model in self.models:
                    cursor.execute(self.insertion(model, number))
                self.renumber(number * self.step)
            for statement in connection.ops.sequence_reset_sql(no_style(), self.models):
                cursor.execute(statement)
        copies = Campaign.objects.exclude(members__user=organizer)
        Member.objects.bulk_create(Member(campaign=copy, user=organizer, role="organizer") for copy in copies)
        self.count += count

    def insertion(self, model: "type[Model]", number: int) -> str:
        from django.db import connection

        quote = connection.ops.quote_name
        fields = model._meta.local_concrete_fields
        columns = ", ".join(quote(str(field.column)) for field in fields)
        values = ", ".join(self.value(field, quote(str(field.column)), number) for field in fields)
        table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
        return f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} WHERE {key} < {self.step}"

    def value(self, field: Any, column: str, number: int) -> str:
        """What a field of a copy has: a key that is larger by the step, a name of its own, or the same."""
        if field.primary_key or field.related_model in self.models:
            return f"{column} + {number * self.step}"
        is_name = field.unique and field.get_internal_type() in ("CharField", "SlugField")
        return f"{column} || '-{number}'" if is_name else column

    def renumber(self, more: int) -> None:
        """The orders of assignments name entries and documents by key."""
        from assess.models import Assignment

        every = list(Assignment.every.filter(topic__campaign=self.campaign.pk + more))
        for assignment in every:
            assignment.order = [key + more for key in assignment.order]
            assignment.instance_order = [key + more for key in assignment.instance_order]
        Assignment.every.bulk_update(every, ["order", "instance_order"])


def measure(client: "Client", campaign: "Campaign", times: int) -> Iterator[Again]:
    """Pages and jobs, each with a function that measures its time once more."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from django.urls import reverse

    for name, address in [*pages.addresses(campaign), *((name, reverse(name)) for name in GROWING)]:
        with CaptureQueriesContext(connection) as captured:
            answer: Any = client.get(address)
        queries = len(captured)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            again = partial(pages.processor_time, client, address)
            quickest = min(again() for _ in range(times))
            yield Measured(name, quickest, queries, OWN_LIMITS_MS.get(name, LIMIT_MS)), again
    for name, job in jobs_of(campaign).items():
        again = partial(time_of, job)
        yield Measured(f"job: {name}", min(again(), again()), 0, JOB_LIMITS_MS[name]), again


def jobs_of(campaign: "Campaign") -> dict[str, Callable[[], object]]:
    from assess.models import Qrels
    from assess.services.agreement import agreement
    from assess.services.desk import decisions, documents
    from assess.services.releases import qrels, verification

    pool = campaign.pools.all()[0]
    organizer = campaign.members.filter(role="organizer")[0].user
    assignment = pool.rounds.all()[0].assignments.all()[0]

    def save() -> None:
        card = documents.open_item(assignment, 1).cards[0]
        decision = decisions.Decision(card.instance.pk, card.content_hash, "2", "", 1000)
        decisions.save_decisions(assignment.pk, assignment.assessor, [decision])

    return {
        "save": save,
        "agreement": lambda: agreement.report(pool, silent),
        "release": lambda: qrels.release(pool, organizer, silent),
        "verify": lambda: verification.verify(Qrels.objects.of(campaign)[0]),
    }


def time_of(job: Callable[[], object]) -> float:
    """Milliseconds. What it made is taken back, so that each time meets the same."""
    from django.db import transaction

    with transaction.atomic(), clocked(time.process_time) as figures:
        job()
        transaction.set_rollback(True)
    return 1000 * float(figures["seconds"])


def grow(size: pages.Size, steps: list[int], work: Path) -> bool:
    from django.test import Client

    from assess.models import Judgment
    from assess.services import backups

    pages.SHARE_JUDGED = 1.0  # pages that look for what is left look through all of it then
    campaign = pages.make(size)
    import_module("assess.wsgi")
    logging.getLogger("django.request").setLevel(logging.ERROR)  # of addresses that only take forms
    organizer = campaign.members.filter(role="organizer")[0].user
    type(organizer).objects.filter(pk=organizer.pk).update(is_staff=True, is_superuser=True)
    client: Any = Client(SERVER_NAME="localhost")
    client.force_login(organizer)
    copies, each, is_kept = Copies(campaign), Judgment.objects.count(), True
    alone: dict[str, Measured] = {}
    for step in steps:
        with clocked() as figures:
            copies.add(max(0, round(step / each) - 1 - copies.count))
            refresh_statistics()
        count, seconds = Judgment.objects.count(), figures["seconds"]
        print(f"\n{count:,} judgments in {copies.count + 1} campaigns (made in {seconds:.0f} s)")
        print(f"{'page or job':40} {'ms':>8} {'queries':>8}", flush=True)
        for measured, again in measure(client, campaign, size.times):
            first = alone.setdefault(measured.name, measured)
            if any(measured.problems(first)):  # perhaps by chance
                measured = measured._replace(milliseconds=min(measured.milliseconds, *(again() for _ in range(5))))
            print(measured.line(first), flush=True)
            is_kept = is_kept and not any(measured.problems(first))
    with clocked(time.process_time) as figures:
        backups.back_up(work / "backups", 1)
    limit = BACKUP_LIMIT * max(0.1, count / 1_000_000)
    return report_figures([Figure("seconds of the processor, backup", figures["seconds"], limit)]) and is_kept


def refresh_statistics() -> None:
    """As every job does at its end, and PostgreSQL by itself within a minute."""
    from django.db import connection

    from assess.services.common import bulk

    bulk.refresh_statistics()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def main(arguments: list[str]) -> int:
    parser = options_of("growth", __doc__, "fewer judgments, under 50 seconds")
    parser.add_argument("--engine", choices=["SQLite", "PostgreSQL"], default="SQLite")
    parser.add_argument("--most", type=int, metavar="N", help="stop at so many judgments")
    asked = parser.parse_args(arguments)
    size, whole = QUICK if asked.quick else FULL
    steps = [step for step in whole if step <= (asked.most or step)]
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assess-growth-")))
        prepare_django(work, stack.enter_context(database(asked.engine, durable=False)))
        from django.core.management import call_command

        call_command("collectstatic", interactive=False, verbosity=0)
        return 0 if grow(size, steps, work) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
