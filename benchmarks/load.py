"""Judging under load: ``python -m benchmarks.load`` (three minutes).

A campaign of 36,000 entries of the labs' real posts, gunicorn with two workers as behind a proxy, on SQLite and on a
PostgreSQL of its own that writes to the disk as in production; all on one machine, connected by Unix sockets
(docs/operations.md). One assessor judges alone, ten judge without a pause, fifty with two seconds' pause: each judgment
is a request of its own, signed in and checked against forgery, whose answer brings the next item. Afterwards the
database must hold exactly what was sent. The ten take turns with a bare view of Django that only stores an event
(``benchmarks.bare``), which shows what this machine can do at most; the median share of all rounds counts. ``--quick``
judges less; the exit code is 0 only if every limit is kept.
"""

import argparse
import json
import logging
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import quote
from uuid import uuid4

from benchmarks.browsing import Browser
from benchmarks.measuring import (
    ROOT,
    Figure,
    environment_of,
    need_packages_of_tests,
    options_of,
    p95,
    report_figures,
    run_step,
)

CROWD, PAUSING, PAUSE = 10, 50, 2.0
"""How many assessors judge without a pause; how many with one, and how many seconds that takes."""
ROUNDS = 10
FIELD = re.compile(r'name="(instance|content_hash|after)" value="([^"]*)"')
SHARES = {"SQLite": 30.0, "PostgreSQL": 25.0}
"""At least so many percent of the bare view's rate."""
LIMITS = {"alone": 20.0, "crowd": 200.0, "pausing": 100.0}
"""At most so many milliseconds: the median of one assessor alone, and 95 of 100 judgments of many."""


class Person(NamedTuple):
    """An assessor who is signed in, for a password is checked slowly, on purpose; and what there is to judge."""

    username: str
    session: str
    assignments: list[int]


class Size(NamedTuple):
    """``topics`` with ``entries`` each; how many judgments each of the ten makes, one assessor alone, and each of the
    fifty."""

    topics: int
    entries: int
    judgments: int
    alone: int
    pausing: int


FULL = Size(80, 450, 450, 450, 15)
QUICK = Size(61, 60, 60, 60, 4)


class Assessor:
    """Judges place after place; ``seconds`` holds what each save took, ``said`` what was decided of each document."""

    def __init__(self, server: Path, person: Person, entries: int) -> None:
        self.browser, self.username = Browser(server, person.session), person.username
        self.assignments, self.entries = person.assignments, entries
        self.seconds: list[float] = []
        self.sent: dict[str, str] = {}
        self.work = self.at_work()

    def warm_up(self) -> None:
        """A page for nothing, so that workers and their connections to the database are there."""
        self.browser.ask("GET", f"/judge/{self.assignments[0]}/1/")

    def go_on(self, steps: int) -> None:
        if sum(1 for _ in islice(self.work, steps)) < steps:
            raise SystemExit(f"{self.username} had less to judge than the round needs.")

    def at_work(self) -> Iterator[None]:
        """Makes a judgment each time it is asked to go on."""
        for assignment in self.assignments:
            html = self.browser.ask("GET", f"/judge/{assignment}/1/")
            for place in range(1, self.entries + 1):
                html = self.judge(assignment, place, html)
                yield

    def go_on_with_pauses(self, steps: int) -> None:
        """The first step comes after a part of the pause, so that not all judge at once."""
        for step in range(steps):
            time.sleep(PAUSE if step else PAUSE * random.random())
            self.go_on(1)

    def judge(self, assignment: int, place: int, html: str) -> str:
        fields: dict[str, object] = dict(FIELD.findall(html)[:3])
        word = str(place % 4)
        fields |= {"key": str(uuid4()), "word": word, "active_ms": 900, "wall_ms": 1000, "want": place + 1}
        begun = time.perf_counter()
        answer = self.browser.ask("POST", f"/judge/{assignment}/{place}/", fields, json_only=True)
        self.seconds.append(time.perf_counter() - begun)
        self.sent[str(fields["instance"])] = word
        item = json.loads(answer).get("item", {"html": ""})
        return str(item["html"])


class Bare(Assessor):
    """The same with the view that only stores an event."""

    def at_work(self) -> Iterator[None]:
        html = self.browser.ask("GET", f"/judge/{self.assignments[0]}/1/")
        address = f"/bare/{self.assignments[0]}/{dict(FIELD.findall(html)[:3])['instance']}/"
        for number in count():
            self.browser.ask("POST", address, {"word": number % 4}, json_only=True)
            yield


@contextmanager
def database(engine: str, *, durable: bool = True) -> Iterator[str]:
    """The address of an empty database, empty for SQLite."""
    if engine == "SQLite":
        yield ""
        return
    need_packages_of_tests("pytest")
    from tests import servers

    with servers.own_postgres(durable=durable) as own:
        address = f"postgresql://postgres@{quote(str(own.folder), safe='')}:{own.port}"
        subprocess.run(["psql", "-q", f"{address}/postgres", "-c", "CREATE DATABASE load"], check=True)
        yield f"{address}/load"


@contextmanager
def web_server(environment: dict[str, str], work: Path, ready: Callable[[], bool], *options: str) -> Iterator[None]:
    """The product and the bare view, by gunicorn with two workers."""
    from tests import servers

    command = [sys.executable, "-m", "gunicorn", "benchmarks.bare", "--no-control-socket", "--workers", "2", *options]
    with servers.running(command, ready, work / "web.log", env=environment, cwd=ROOT):
        yield


class Lab(NamedTuple):
    """A campaign in a database of its own, with the environment of its processes."""

    work: Path
    environment: dict[str, str]
    people: list[Person]
    organizer: Person


@contextmanager
def lab(engine: str, size: Size) -> Iterator[Lab]:
    with tempfile.TemporaryDirectory(prefix="assess-load-") as folder, database(engine) as address:
        work = Path(folder)
        environment = environment_of(work, address)
        made = run_step("load", environment, "--prepare", size.topics, size.entries, 1 + CROWD + PAUSING)
        print(f"{engine}: {made['entries']} entries, made in {made['seconds']:.0f} s", flush=True)
        yield Lab(work, environment, [Person(*person) for person in made["people"]], Person(*made["organizer"]))


def measure(engine: str, campaign: Lab, size: Size) -> list[Figure]:
    """The figures of an engine."""
    server = campaign.work / "web.socket"
    with web_server(campaign.environment, campaign.work, Browser(server).is_answered, "--bind", f"unix:{server}"):
        assessors = [Assessor(server, person, size.entries) for person in campaign.people]
        alone, crowd, pausing = assessors[0], assessors[1 : 1 + CROWD], assessors[1 + CROWD :]
        alone.go_on(size.alone)
        bare = [Bare(server, person, size.entries) for person in campaign.people[1 : 1 + CROWD]]
        rates, bare_rates = rounds(crowd, bare, size.judgments)
        with ThreadPoolExecutor(len(pausing)) as threads:
            list(threads.map(lambda assessor: assessor.go_on_with_pauses(size.pausing), pausing))
        sent = {instance: word for assessor in assessors for instance, word in assessor.sent.items()}
        (campaign.work / "sent.json").write_text(json.dumps(sent))
        held = run_step("load", campaign.environment, "--check", campaign.work / "sent.json")
    share = median(100 * rate / bare_rate for rate, bare_rate in zip(rates, bare_rates, strict=True))
    return [
        Figure(f"judgments a second, {len(crowd)} assessors, median of {len(rates)} rounds", median(rates)),
        Figure("in the slowest round", min(rates)),
        Figure("in the fastest round", max(rates)),
        Figure("events a second of a bare view of Django, in turn with them", median(bare_rates)),
        Figure("share of that in percent, median of the rounds", share, SHARES[engine], is_minimum=True),
        Figure("ms, one assessor alone, median", median(milliseconds([alone])), LIMITS["alone"]),
        Figure(f"ms, {len(crowd)} assessors without a pause, 95 of 100", p95(milliseconds(crowd)), LIMITS["crowd"]),
        Figure(
            f"ms, {len(pausing)} assessors with {PAUSE:g} s pause, 95 of 100",
            p95(milliseconds(pausing)),
            LIMITS["pausing"],
        ),
        Figure("judgments that the database holds otherwise than sent", held["wrong"], 0),
    ]


def milliseconds(assessors: Sequence[Assessor]) -> list[float]:
    """What each save with the next item took."""
    return [1000 * seconds for assessor in assessors for seconds in assessor.seconds]


def rounds(crowd: Sequence[Assessor], bare: Sequence[Assessor], judgments: int) -> tuple[list[float], list[float]]:
    """How many judgments a second, and events of the bare view, in each round, until everybody has made so many: what
    slows the machine down for a moment slows down a round of each."""
    number = min(ROUNDS, judgments)
    steps = [judgments * (index + 1) // number - judgments * index // number for index in range(number)]
    with ThreadPoolExecutor(len(crowd)) as threads:
        list(threads.map(Assessor.warm_up, crowd))

        def rate(people: Sequence[Assessor], each: int) -> float:
            begun = time.perf_counter()
            list(threads.map(lambda assessor: assessor.go_on(each), people))
            return len(people) * each / (time.perf_counter() - begun)

        pairs = [(rate(crowd, each), rate(bare, each)) for each in steps]
    return [rate for rate, _ in pairs], [bare_rate for _, bare_rate in pairs]


def prepare(topics: int, entries: int, assessors: int, *, are_formulas: bool) -> None:
    """Makes the campaign, and has its people signed in."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from benchmarks import campaign

    begun = time.perf_counter()
    logging.disable(logging.INFO)  # of each sign-in
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    given = defaultdict(list)
    for assignment in campaign.make(topics, entries, min(assessors, topics), are_formulas=are_formulas):
        given[assignment.assessor].append(assignment.pk)

    def signed_in(user: User) -> Person:
        browser = Client()
        browser.force_login(user)
        return Person(user.username, browser.cookies["sessionid"].value, given[user])

    figures = {"people": list(map(signed_in, list(given))), "entries": topics * entries}
    figures["organizer"] = signed_in(User.objects.get(username="olga"))
    tidy()
    print(json.dumps(figures | {"seconds": time.perf_counter() - begun}))


def tidy() -> None:
    """What PostgreSQL does by itself some minutes after many rows have come: before, it plans blindly; and meanwhile
    it would share the two cores with what is measured."""
    from django.db import connection

    from assess.models import Assignment, Instance, PoolEntry, Post, Topic

    if connection.vendor == "postgresql":
        filled = ", ".join(kind._meta.db_table for kind in (Assignment, Instance, PoolEntry, Post, Topic))
        with connection.cursor() as cursor:
            cursor.execute(f"VACUUM ANALYZE {filled}")  # not those still empty: it would take them for always empty


def check(decisions: Path) -> None:
    """Compares the database with what was sent."""
    import django

    django.setup()
    from assess.models import Judgment, JudgmentEvent

    expected = {int(instance): word for instance, word in json.loads(decisions.read_text()).items()}
    held = [(judgment.instance_id, judgment.decision) for judgment in Judgment.objects.all()]
    wrong = sum(expected.get(instance) != word for instance, word in held)
    wrong += len(expected.keys() - dict(held).keys()) + len(held) - len(dict(held))
    wrong += abs(JudgmentEvent.objects.exclude(content_hash="").count() - len(expected))  # the bare view stores none
    print(json.dumps({"wrong": wrong}))


def main(arguments: list[str]) -> int:
    parser = options_of("load", __doc__, "fewer judgments, under 50 seconds")
    parser.add_argument("--engine", choices=list(SHARES), help="only this one")
    parser.add_argument("--prepare", nargs=3, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--formulas", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--check", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.prepare:
        prepare(*asked.prepare, are_formulas=asked.formulas)
        return 0
    if asked.check:
        check(asked.check)
        return 0
    engines, size = [asked.engine] if asked.engine else list(SHARES), QUICK if asked.quick else FULL
    is_within = True
    with ExitStack() as stack, ThreadPoolExecutor(len(engines)) as at_once:
        labs = list(at_once.map(stack.enter_context, [lab(engine, size) for engine in engines]))
        for engine, campaign in zip(engines, labs, strict=True):
            print(f"On {engine}:")
            is_within &= report_figures(measure(engine, campaign, size))
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
