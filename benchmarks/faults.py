"""Judging while servers fail: ``python -m benchmarks.faults`` (two minutes).

Assessors judge real posts on PostgreSQL and Redis of their own, with gunicorn and a Celery worker. Each judgment is
sent again until the server acknowledges it, as the desk's script does. Meanwhile a web worker is killed, and the web
server, PostgreSQL, Redis and the job worker are killed and started again; a job is asked for while Redis is away.
Afterwards the database must hold every acknowledged judgment once, and every job must have ended. ``--quick`` goes
through the faults once, under 50 seconds; the exit code is 0 only if nothing is lost, doubled or stuck.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from benchmarks.load import FIELD, Browser, Person
from benchmarks.measuring import ROOT, environment_of, options_of, run_step
from tests import servers

ASSESSORS, TOPICS, ENTRIES = 6, 12, 400
REST = 1.5
"""Seconds of judging between two faults."""
PATIENCE = 60
"""Seconds in which all judgments and jobs must have come through after the last fault."""
AWAY = (OSError, IndexError, ValueError, KeyError, SystemExit)
"""What a server that is away or starting makes of a request."""


class Service:
    """A server that can be killed and started again."""

    def __init__(self, command: list[str], ready: Callable[[], bool], log: Path, **how: object) -> None:
        self.command, self.ready, self.log, self.how = command, ready, log, how
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(self.command, stdout=output, stderr=output, **self.how)  # type: ignore[call-overload]
        servers.wait_until(self.ready, self.process, self.log, PATIENCE)

    def kill(self) -> None:
        """Without warning, with its children."""
        for pid in [self.process.pid, *self.children()]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def restart(self) -> None:
        self.kill()
        self.start()

    def children(self) -> list[int]:
        return list(map(int, Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()))

    def kill_child(self) -> None:
        os.kill(self.children()[0], signal.SIGKILL)

    def stop(self) -> None:
        servers.stop(self.process)


class Sent(NamedTuple):
    """A judgment with its key, and when it was acknowledged, in seconds after it was first sent."""

    instance: int
    key: str
    word: str
    seconds: float


class Assessor:
    """Judges place after place until `is_done`."""

    def __init__(self, server: Path, person: Person) -> None:
        self.browser, self.person = Browser(server, person.session), person
        self.acknowledged: list[Sent] = []
        self.tries = 0
        self.is_done = False

    def work(self) -> None:
        for assignment in self.person.assignments:
            for place in range(1, ENTRIES + 1):
                if self.is_done:
                    return
                self.judge(assignment, place)

    def judge(self, assignment: int, place: int) -> None:
        address = f"/judge/{assignment}/{place}/"
        html = self.insist(partial(self.browser.ask, "GET", address))
        fields: dict[str, object] = dict(FIELD.findall(html)[:3])
        word, begun = str(place % 4), time.monotonic()
        fields |= {"key": str(uuid4()), "word": word, "active_ms": 900, "wall_ms": 1000}
        self.insist(lambda: json.loads(self.browser.ask("POST", address, fields, json_only=True)))
        seconds = time.monotonic() - begun
        self.acknowledged.append(Sent(int(str(fields["instance"])), str(fields["key"]), word, seconds))

    def insist(self, request: Callable[[], str]) -> str:
        """The answer, sooner or later."""
        while True:
            self.tries += 1
            try:
                return request()
            except AWAY:
                time.sleep(0.1)


class Installation(NamedTuple):
    """The servers, and who uses them."""

    postgres: Service
    redis: Service
    web: Service
    worker: Service
    server: Path
    people: list[Person]
    organizer: Person
    environment: dict[str, str]


@contextmanager
def installation() -> Iterator[Installation]:
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assess-faults-")))
        user, data, ports = servers.unprivileged(), work / "pg", (servers.free_port(), servers.free_port())
        work.chmod(0o755)
        data.mkdir()
        if user:
            os.chown(data, user["user"], user["group"])
        create = [servers.program("initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        subprocess.run([*create, "--locale=C.UTF-8"], check=True, capture_output=True, cwd=data, **user)
        command = [servers.program("postgres"), "-D", str(data), "-p", str(ports[0]), "-k", str(data)]
        usable = partial(servers.usable_postgres, ports[0])
        postgres = Service(command, lambda: bool(usable()), work / "postgres.log", cwd=data, **user)
        stack.callback(postgres.stop)
        redis_command = [servers.program("redis-server"), "--port", str(ports[1]), "--bind", "127.0.0.1", "--save", ""]
        redis = Service(redis_command, partial(servers.usable_redis, ports[1]), work / "redis.log", cwd=work)
        stack.callback(redis.stop)
        address = f"postgresql://postgres@127.0.0.1:{ports[0]}"
        subprocess.run(["psql", "-q", f"{address}/postgres", "-c", "CREATE DATABASE faults"], check=True)
        environment = environment_of(work, f"{address}/faults") | {"REDIS_URL": f"redis://127.0.0.1:{ports[1]}/0"}
        made = run_step("load", environment, "--prepare", TOPICS, ENTRIES, ASSESSORS)
        server, how = work / "web.socket", {"env": environment, "cwd": ROOT}
        gunicorn = [sys.executable, "-m", "gunicorn", "assess.wsgi", "--no-control-socket", "--workers", "2"]
        bind = ["--bind", f"unix:{server}"]
        web = Service([*gunicorn, *bind], Browser(server).is_answered, work / "web.log", **how)
        stack.callback(web.stop)
        celery = [sys.executable, "-m", "celery", "-A", "assess", "worker", "-c", "1", "-l", "info"]
        worker = Service(celery, lambda: b"ready" in (work / "worker.log").read_bytes(), work / "worker.log", **how)
        stack.callback(worker.stop)
        people = [Person(*person) for person in made["people"]]
        organizer = Person(*made["organizer"])
        yield Installation(postgres, redis, web, worker, server, people, organizer, environment)


def faults(lab: Installation) -> list[tuple[str, Callable[[], None]]]:
    """What goes wrong, in this order."""

    def ask_without_redis() -> None:
        lab.redis.kill()
        start_job(lab)
        lab.redis.start()

    def lose_worker() -> None:
        lab.worker.kill()
        start_job(lab)
        lab.worker.log.write_bytes(b"")
        lab.worker.start()

    return [
        ("a web worker is killed", lab.web.kill_child),
        ("the web server is killed", lab.web.restart),
        ("PostgreSQL is killed", lab.postgres.restart),
        ("Redis is killed", lab.redis.restart),
        ("a job is asked for while Redis is away", ask_without_redis),
        ("the job worker is killed, and a job is asked for", lose_worker),
        ("PostgreSQL is killed again", lab.postgres.restart),
    ]


def start_job(lab: Installation) -> None:
    """The organizer has the agreement computed."""
    browser = Browser(lab.server, lab.organizer.session)
    browser.ask("GET", "/c/load/agreement/")
    with suppress(*AWAY):  # refused while the last one is still at work
        browser.ask("POST", "/c/load/agreement/compute/", {})


def run(rounds: int) -> bool:
    with installation() as lab, ThreadPoolExecutor(ASSESSORS) as threads:
        assessors = [Assessor(lab.server, person) for person in lab.people]
        at_work = [threads.submit(assessor.work) for assessor in assessors]
        start_job(lab)
        time.sleep(REST)
        for name, fault in faults(lab) * rounds:
            before = sum(len(assessor.acknowledged) for assessor in assessors)
            begun = time.monotonic()
            fault()
            seconds = time.monotonic() - begun
            time.sleep(REST)
            count = sum(len(assessor.acknowledged) for assessor in assessors) - before
            print(f"  {name}: back after {seconds:.1f} s, {count} judgments acknowledged meanwhile", flush=True)
        for assessor in assessors:
            assessor.is_done = True
        for each in at_work:
            each.result(PATIENCE)
        sent = [judgment for assessor in assessors for judgment in assessor.acknowledged]
        file = Path(lab.environment["ASSESS_VAR"]) / "sent.json"
        file.write_text(json.dumps(sent))
        held = run_step("faults", lab.environment, "--check", file)
    tries = sum(assessor.tries for assessor in assessors)
    print(f"  judgments acknowledged: {len(sent)}, with {tries - 2 * len(sent)} requests repeated")
    print(f"  the longest wait for an acknowledgement: {max(judgment.seconds for judgment in sent):.1f} s")
    print(f"  lost: {held['lost']}, doubled: {held['doubled']}, otherwise than sent: {held['other']}")
    print(f"  jobs: {held['jobs']}")
    return not (held["lost"] or held["doubled"] or held["other"] or held["stuck"])


def check(file: Path) -> None:
    """Compares the database with what was acknowledged, and waits for the jobs."""
    import django

    django.setup()
    from assess.models import Job, Judgment, JudgmentEvent

    sent = [Sent(*row) for row in json.loads(file.read_text())]
    words = dict(Judgment.objects.values_list("instance_id", "grade"))
    keys = Counter(JudgmentEvent.objects.values_list("key", flat=True))
    end = time.monotonic() + PATIENCE
    while Job.objects.unfinished().exists() and time.monotonic() < end:
        time.sleep(0.2)
    states = Counter(Job.objects.values_list("state", flat=True))
    print(
        json.dumps(
            {
                "lost": sum(not keys[judgment.key] for judgment in sent),
                "doubled": sum(count > 1 for count in keys.values()) + len(keys) - len(words),
                "other": sum(str(words.get(judgment.instance)) != judgment.word for judgment in sent),
                "stuck": Job.objects.unfinished().count(),
                "jobs": ", ".join(f"{count} {state}" for state, count in states.items()),
            }
        )
    )


def main(arguments: list[str]) -> int:
    parser = options_of("faults", __doc__, "each fault once, under 50 seconds")
    parser.add_argument("--check", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.check:
        check(asked.check)
        return 0
    print(f"{ASSESSORS} assessors judge while servers fail:")
    return 0 if run(1 if asked.quick else 4) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
