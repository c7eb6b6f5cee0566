"""The organizers' pages at the size of a lab: ``python -m benchmarks.pages`` (one minute).

A campaign of 36,000 entries of the labs' real posts and 29,000 judgments by 61 assessors, on SQLite, with questions,
an agreement report and a release. Every page of the campaign is asked for several times by an organizer, in one
process: milliseconds of its processor, the database included, and the number of queries. ``--quick`` has a third of the
entries, ``--assessors`` another number of people; the exit code is 0 only if every page stays within both limits.
"""

import argparse
import gc
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.measuring import prepare_django, silent

if TYPE_CHECKING:
    from django.test import Client

    from assess.models import Assignment, Campaign

LIMIT_MS = 150.0
LIMIT_QUERIES = 30
SHARE_JUDGED = 0.8


class Size(NamedTuple):
    """``topics`` with ``entries`` each, for so many assessors; how often each page is asked for."""

    topics: int
    entries: int
    assessors: int
    times: int


FULL = Size(80, 450, 61, 20)
QUICK = Size(80, 150, 61, 10)


class Page(NamedTuple):
    """A page by the name of its address: milliseconds of each time that it was asked for, and the queries it took."""

    name: str
    milliseconds: list[float]
    queries: int

    @property
    def p95(self) -> float:
        return quantiles(self.milliseconds, n=20, method="inclusive")[-1]

    @property
    def is_within(self) -> bool:
        return self.p95 <= LIMIT_MS and self.queries <= LIMIT_QUERIES

    def __str__(self) -> str:
        missed = "" if self.is_within else "  MISSED"
        return f"{self.name:24} {median(self.milliseconds):6.0f} {self.p95:6.0f} {self.queries:8}{missed}"


def make(size: Size) -> "Campaign":
    """The campaign with its judgments, and what the organizers made of them."""
    from assess.models import Question
    from assess.services.results import agreement, qrels
    from benchmarks import campaign

    given = campaign.make(size.topics, size.entries, size.assessors)
    pool = given[0].round.pool
    for assignment in given:
        judge(assignment)
    Question.objects.bulk_create(
        Question(topic=assignment.topic, entry_id=assignment.order[0], by=assignment.assessor, text="And this?")
        for assignment in given[:5]
    )
    agreement.report(pool, silent)
    qrels.release(pool, pool.campaign.members.filter(role="organizer")[0].user, silent)
    return pool.campaign


def judge(assignment: "Assignment") -> None:
    """Judges most of an assignment at random, with the history of it."""
    from assess.models import Judgment, JudgmentEvent

    draw = random.Random(assignment.pk)
    count = int(SHARE_JUDGED * len(assignment.instance_order))
    words = draw.choices(["0", "1", "2", "3", "system_failure", "do_not_know"], [70, 10, 8, 8, 2, 2], k=count)
    judged = list(zip(assignment.instance_order, words, strict=False))
    times = [int(draw.lognormvariate(10, 0.7)) for _ in judged]
    Judgment.objects.bulk_create(
        Judgment(
            assignment=assignment,
            instance_id=instance,
            grade=int(word) if word.isdigit() else None,
            outcome="" if word.isdigit() else word,
            comment="" if word.isdigit() else "The formula is missing",
            active_ms=active_ms,
            key=str(instance),
        )
        for (instance, word), active_ms in zip(judged, times, strict=True)
    )
    JudgmentEvent.objects.bulk_create(
        JudgmentEvent(
            assignment=assignment,
            instance_id=instance,
            by_id=assignment.assessor_id,
            decision=word,
            key=str(instance),
            active_ms=active_ms,
            wall_ms=2 * active_ms,
        )
        for (instance, word), active_ms in zip(judged, times, strict=True)
    )


def addresses(campaign: "Campaign") -> Iterator[tuple[str, str]]:
    """Every address of the campaign, or of its first topic, by name; also those that only take forms or redirect."""
    from django.urls import get_resolver, reverse

    parts = {"slug": campaign.slug, "topic_id": campaign.topics.all()[0].topic_id}
    for name, patterns in get_resolver().reverse_dict.lists():
        arguments = set(patterns[0][0][0][1])
        if isinstance(name, str) and "slug" in arguments <= parts.keys():
            yield name, reverse(name, kwargs={part: parts[part] for part in arguments})


def pages(client: "Client", campaign: "Campaign", times: int) -> Iterator[Page]:
    """The pages among the addresses, slowest last."""
    for name, address in addresses(campaign):
        answer = client.get(address)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            yield measured(client, name, address, times)


def measured(client: "Client", name: str, address: str, times: int) -> Page:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    queries = len(captured)
    return Page(name, [processor_time(client, address) for _ in range(times)], queries)


def processor_time(client: "Client", address: str) -> float:
    """Milliseconds of this process, so that what else the machine does counts little."""
    begun = time.process_time()
    client.get(address)
    return 1000 * (time.process_time() - begun)


def report(measured: Iterable[Page]) -> bool:
    """Prints a line for each page; whether all are within the limits."""
    print(
        f"{'page':24} {'median':>6} {'p95':>6} {'queries':>8}    limits: p95 {LIMIT_MS:g} ms, {LIMIT_QUERIES} queries"
    )
    found = sorted(measured, key=lambda page: page.p95)
    for page in found:
        print(page, flush=True)
    return all(page.is_within for page in found)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer entries, under 50 seconds")
    from django.core.management import call_command

    parser.add_argument("--assessors", type=int, default=FULL.assessors, metavar="N")
    asked = parser.parse_args(arguments)
    size = (QUICK if asked.quick else FULL)._replace(assessors=asked.assessors)
    with tempfile.TemporaryDirectory(prefix="assess-pages-") as folder:
        os.environ |= {"ASSESS_VAR": str(Path(folder, "var")), "DATABASE_URL": ""}
        prepare_django(Path(folder))
        call_command("collectstatic", interactive=False, verbosity=0)
        return 0 if measure(size) else 1


def measure(size: Size) -> bool:
    from django.test import Client

    campaign = make(size)
    gc.freeze()  # a server has not made the campaign it shows
    client: Any = Client(SERVER_NAME="localhost")
    client.force_login(campaign.members.filter(role="organizer")[0].user)
    return report(pages(client, campaign, size.times))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
