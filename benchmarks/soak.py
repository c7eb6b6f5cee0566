"""Half an hour of a lab's work: ``python -m benchmarks.soak``.

Fifty assessors judge real posts with pauses, on the two processes that ``manage.py serve`` starts. Meanwhile organizers
refresh their pages, and one imports runs, has agreement computed, makes releases and downloads exports, again and
again; halfway a backup is made. A third of the campaign is judged before, so that pages and jobs are large from the
start. Memory is measured once everything has happened, and at the end: it must stay flat. 95 of 100 saves must be
quick, no request or job may fail, and the database must hold exactly what was sent. ``--quick`` does the same for some
seconds, under 50 in all; the exit code is 0 only if every limit is kept.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from benchmarks.browsing import Browser
from benchmarks.load import PAUSING, SHARES, Assessor, Lab, Size, lab, milliseconds
from benchmarks.measuring import ROOT, Figure, memory_of, options_of, p95, report_figures, run_step

PAUSE = 4.0
"""Seconds between two judgments of an assessor, on average."""
REFRESHING, REFRESH = 3, 3.0
"""So many windows of the organizer are refreshed, each after so many seconds."""
PAGES = ("progress", "topics", "members", "pool", "runs", "assignments", "agreement", "disagreements", "releases")
SAVE_LIMIT_MS = 250.0
GROWS_BY = 1.15
"""Memory is flat up to this."""


class Length(NamedTuple):
    """Seconds in all; seconds of rest after each of an organizer's steps; documents for each assessor, and how many of
    these are judged before."""

    seconds: float
    rest: float
    entries: int
    judged: int


FULL = Length(1800, 20, 700, 230)
QUICK = Length(18, 0, 30, 10)


class Soak:
    """What people do until ``end``. ``cycles`` counts how often the organizer has done everything, ``errors`` holds
    what went wrong."""

    def __init__(self, campaign: Lab, length: Length) -> None:
        self.campaign, self.length, self.server = campaign, length, campaign.work / "web.socket"
        self.assessors = [Assessor(self.server, person, length.entries) for person in campaign.people]
        with ThreadPoolExecutor(10) as threads:
            list(threads.map(lambda assessor: assessor.go_on(length.judged), self.assessors))
        for assessor in self.assessors:
            assessor.seconds.clear()
        self.end = time.monotonic() + length.seconds
        self.cycles = self.refreshed = self.backups = 0
        self.errors: list[str] = []

    def go_on(self, rest: float) -> bool:
        """Whether there is time left after a rest; an error ends everybody's."""
        time.sleep(rest)
        return time.monotonic() < self.end and not self.errors

    def judge(self, assessor: Assessor) -> None:
        while self.go_on(random.uniform(0.2, 1.8) * PAUSE):
            assessor.go_on(1)

    def refresh(self) -> None:
        browser = Browser(self.server, self.campaign.organizer.session)
        for page in itertools.cycle(PAGES):
            if not self.go_on(REFRESH):
                return
            browser.ask("GET", f"/c/load/{page}/")
            self.refreshed += 1

    def organize(self) -> None:
        """An import, jobs and an export in turn, at least once."""
        browser = Browser(self.server, self.campaign.organizer.session)
        browser.ask("GET", "/c/load/runs/")
        while True:
            name = f"run{self.cycles}"
            ranking = "".join(f"A.{1 + at // 100} Q0 {at % 100} {at % 100} -{at} {name}\n" for at in range(5000))
            steps = (
                partial(
                    finish_job, browser, "runs/", file=("run.txt", ranking), team="soak", name=name, pool_role="none"
                ),
                partial(finish_job, browser, "agreement/"),
                partial(finish_job, browser, "releases/", note=name, min_relevant=0),
                partial(browser.ask, "GET", "/c/load/export/judgments.csv"),
            )
            for step in steps:
                step()
                if not self.go_on(self.length.rest) and self.cycles:
                    return
            self.cycles += 1

    def back_up(self) -> None:
        while self.go_on(0.2) and time.monotonic() < self.end - self.length.seconds / 2:
            pass
        command = [sys.executable, "manage.py", "backup", str(self.campaign.work / "backups")]
        subprocess.run(command, cwd=ROOT, env=self.campaign.environment, check=True, capture_output=True)
        self.backups += 1

    def guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (Exception, SystemExit) as error:
            self.errors.append(repr(error)[:300])

    def figures(self, processes: list[subprocess.Popen[bytes]]) -> list[Figure]:
        actors: list[Callable[[], None]] = [
            *(partial(self.judge, each) for each in self.assessors),
            *[self.refresh] * REFRESHING,
        ]
        actors += [self.organize, self.back_up]
        with ThreadPoolExecutor(len(actors)) as threads:
            at_work = [threads.submit(self.guard, actor) for actor in actors]
            while not self.cycles and self.go_on(0.2):
                pass
            self.go_on(self.length.seconds / 20)
            first = megabytes(processes)
            for each in at_work:
                each.result()
        last = megabytes(processes)
        print("\n".join(self.errors[:5]))
        sent = {instance: word for assessor in self.assessors for instance, word in assessor.sent.items()}
        (self.campaign.work / "sent.json").write_text(json.dumps(sent))
        held = run_step("load", self.campaign.environment, "--check", self.campaign.work / "sent.json")
        saves = milliseconds(self.assessors) or [0.0] * 2
        return [
            Figure(f"judgments of {len(self.assessors)} assessors", len(saves)),
            Figure("pages refreshed", self.refreshed),
            Figure("imports, reports on agreement, releases and exports, each", self.cycles, 1, is_minimum=True),
            Figure("backups", self.backups, 1, is_minimum=True),
            Figure("ms, a save with the next item, 95 of 100", p95(saves), SAVE_LIMIT_MS),
            Figure("the slowest", max(saves)),
            Figure("MB, web server at the end", last[0], round(first[0] * GROWS_BY)),
            Figure("MB, worker at the end", last[1], round(first[1] * GROWS_BY)),
            Figure("errors", len(self.errors), 0),
            Figure("judgments that the database holds otherwise than sent", held["wrong"], 0),
            Figure("load of this machine, mean of the last quarter of an hour", os.getloadavg()[2]),
        ]


def finish_job(browser: Browser, path: str, **fields: Any) -> None:
    job = json.loads(browser.ask("POST", f"/api/campaigns/load/{path}", fields, json_only=True))
    while job["state"] in ("queued", "running"):
        time.sleep(0.5)
        job = json.loads(browser.ask("GET", f"/api/jobs/{job['id']}/", json_only=True))
    if job["state"] != "done":
        raise RuntimeError(f"{path}: {job['error']}")


def megabytes(processes: list[subprocess.Popen[bytes]]) -> list[float]:
    return [memory_of(process.pid) / 1e6 for process in processes]


@contextmanager
def serving(campaign: Lab) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The web server and the worker, as ``manage.py serve`` starts them."""
    from tests import servers

    server, log = campaign.work / "web.socket", campaign.work / "worker.log"
    how: dict[str, Any] = {"env": campaign.environment | {"MALLOC_ARENA_MAX": "2"}, "cwd": ROOT}
    web = [sys.executable, "-m", "gunicorn", "assess.wsgi", "--config", "python:assess.gunicorn"]
    web += ["--bind", f"unix:{server}"]
    worker = [sys.executable, "-m", "celery", "-A", "assess", "worker", "-P", "threads", "-c", "2", "-l", "info"]
    with (
        servers.running(web, Browser(server).is_answered, campaign.work / "web.log", **how) as first,
        servers.running(worker, lambda: b" ready." in log.read_bytes(), log, **how) as second,
    ):
        yield [first, second]


def main(arguments: list[str]) -> int:
    parser = options_of("soak", __doc__, "some seconds, under 50 in all")
    parser.add_argument("--engine", choices=list(SHARES), default="SQLite")
    asked = parser.parse_args(arguments)
    length = QUICK if asked.quick else FULL
    with lab(asked.engine, Size(PAUSING, length.entries, 0, 0, 0)) as campaign, serving(campaign) as processes:
        return 0 if report_figures(Soak(campaign, length).figures(processes)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
