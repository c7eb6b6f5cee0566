"""Judging while servers fail: ``python -m benchmarks.faults`` (ten minutes).

Assessors judge real posts on two hosts, each with a web server and a Celery worker, on PostgreSQL and Redis, behind
nginx with HTTPS, all set up as docs/operations.md says. Each judgment is sent again until it is acknowledged, as the
desk's script does. Meanwhile everything but nginx is killed and started again, one thing at a time; a job is asked for
while Redis is away. Afterwards the database must hold every acknowledged judgment once, 10,000 at least, and every job
must have ended. ``--quick`` goes through the faults once, under 50 seconds; the exit code is 0 only if nothing is lost,
doubled or stuck.
"""

import argparse
import json
import os
import signal
import socket
import ssl
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

from benchmarks.browsing import Browser
from benchmarks.load import FIELD, Person
from benchmarks.measuring import ROOT, environment_of, options_of, run_step
from tests import proxy, servers

ASSESSORS, TOPICS, ENTRIES = 6, 30, 400
ENOUGH = 10_000
"""Judgments to be acknowledged."""
REST = 1.5
"""Seconds of judging between two faults."""
PATIENCE = 120
"""Seconds in which all judgments and jobs must have come through after the last fault."""
GUNICORN = [sys.executable, "-m", "gunicorn", "assess.wsgi", "--config", "python:assess.gunicorn", "--workers", "2"]
CELERY = [sys.executable, "-m", "celery", "-A", "assess", "worker", "--concurrency", "2", "--loglevel", "info"]
AWAY = (OSError, IndexError, ValueError, KeyError, SystemExit)
"""What a server that is away or starting makes of a request."""


class HttpsBrowser(Browser):
    """Through nginx, whose folder has its port and its certificate."""

    host = proxy.HOST

    def connect(self) -> socket.socket:
        port = int((self.server / "port").read_text())
        trusted = ssl.create_default_context(cafile=self.server / "fullchain.pem")
        return trusted.wrap_socket(socket.create_connection((servers.HOST, port), 30), server_hostname=self.host)


class Service:
    """A server that can be killed and started again."""

    def __init__(self, command: list[str], ready: Callable[[], bool], log: Path, **how: object) -> None:
        self.command, self.ready, self.log, self.how = command, ready, log, how
        self.start()

    def start(self) -> None:
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(self.command, stdout=output, stderr=output, **self.how)  # type: ignore[call-overload]
        servers.wait_until(self.ready, self.process, self.log, PATIENCE)

    def kill(self) -> None:
        """Without warning, with its children, of which none may be left or PostgreSQL does not start again."""
        self.process.send_signal(signal.SIGSTOP)  # it makes no more of them
        pids = [self.process.pid, *self.children()]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        end = time.monotonic() + PATIENCE
        while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < end:
            time.sleep(0.05)

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
        self.browser, self.person = HttpsBrowser(server, person.session), person
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


class Host(NamedTuple):
    """What a host runs."""

    web: Service
    worker: Service


class Installation(NamedTuple):
    """The servers, and who uses them; ``proxy`` is the folder of nginx."""

    postgres: Service
    redis: Service
    hosts: list[Host]
    proxy: Path
    people: list[Person]
    organizer: Person
    environment: dict[str, str]


@contextmanager
def installation() -> Iterator[Installation]:
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assess-faults-")))
        work.chmod(0o755)
        ports = [servers.free_port() for _ in range(6)]

        def start(name: str, command: list[str], ready: Callable[[], bool], **how: object) -> Service:
            service = Service(command, ready, work / f"{name}.log", **how)
            stack.callback(service.stop)
            return service

        postgres = start("postgres", *database(work / "pg", ports[0]), cwd=work / "pg", **servers.unprivileged())
        redis_command = [servers.program("redis-server"), "--port", str(ports[1]), "--bind", "127.0.0.1", "--save", ""]
        redis = start("redis", redis_command, partial(servers.usable_redis, ports[1]), cwd=work)
        address = f"postgresql://postgres@127.0.0.1:{ports[0]}"
        subprocess.run(["psql", "-q", f"{address}/postgres", "-c", "CREATE DATABASE faults"], check=True)
        environment = environment_of(work, f"{address}/faults") | {"REDIS_URL": f"redis://127.0.0.1:{ports[1]}/0"}
        environment |= {"HTTPS": "True", "ALLOWED_HOSTS": proxy.HOST, "SECRET_KEY": "of these hosts"}
        environment |= {"ASSESS_MEDIA": str(work / "media"), "ASSESS_STATIC": str(work / "static")}
        made = run_step("load", environment, "--prepare", TOPICS, ENTRIES, ASSESSORS)
        hosts = []
        for port in ports[2:4]:
            how = {"env": environment | {"ASSESS_VAR": str(work / f"host{port}")}, "cwd": ROOT}
            web = [*GUNICORN, "--bind", f"{servers.HOST}:{port}"]
            is_ready = partial(has_started, work / f"worker{port}.log")
            hosts.append(
                Host(
                    start(f"web{port}", web, partial(servers.answers, port), **how),
                    start(f"worker{port}", CELERY, is_ready, **how),
                )
            )
        (work / "port").write_text(str(ports[4]))
        replaced = {"443": str(ports[4]), "listen 80;": f"listen {ports[5]};"}
        replaced |= {f"10.0.0.1{at}:8000": f"{servers.HOST}:{port}" for at, port in enumerate(ports[2:4], 1)}
        file = proxy.nginx_file(work, replaced, has_several_hosts=True)
        start("nginx", [servers.program("nginx"), "-c", str(file)], HttpsBrowser(work).is_answered)
        people = [Person(*person) for person in made["people"]]
        yield Installation(postgres, redis, hosts, work, people, Person(*made["organizer"]), environment)


def has_started(log: Path) -> bool:
    """Whether a worker has."""
    return b" ready." in log.read_bytes()


def database(folder: Path, port: int) -> tuple[list[str], Callable[[], bool]]:
    """The command of a PostgreSQL that writes to the disk as in production, and whether it is ready."""
    folder.mkdir()
    if user := servers.unprivileged():
        os.chown(folder, user["user"], user["group"])
    create = [servers.program("initdb"), "-D", str(folder), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    subprocess.run([*create, "--locale=C.UTF-8"], check=True, capture_output=True, cwd=folder, **user)
    command = [servers.program("postgres"), "-D", str(folder), "-p", str(port), "-k", str(folder)]
    return command, lambda: bool(servers.usable_postgres(port))


def faults(lab: Installation) -> list[tuple[str, Callable[[], None]]]:
    """What goes wrong, in this order."""
    first, second = lab.hosts

    def ask_without_redis() -> None:
        lab.redis.kill()
        start_job(lab)
        lab.redis.start()

    def lose_worker(host: Host) -> None:
        host.worker.kill()
        start_job(lab)
        host.worker.start()

    return [
        ("a process of a web server is killed", first.web.kill_child),
        ("a web server is killed", first.web.restart),
        ("the other web server is killed", second.web.restart),
        ("PostgreSQL is killed", lab.postgres.restart),
        ("Redis is killed", lab.redis.restart),
        ("a job is asked for while Redis is away", ask_without_redis),
        ("a worker is killed, and a job is asked for", partial(lose_worker, first)),
        ("the other worker is killed, and a job is asked for", partial(lose_worker, second)),
        ("PostgreSQL is killed again", lab.postgres.restart),
    ]


def start_job(lab: Installation) -> None:
    """The organizer has the agreement computed."""
    browser = HttpsBrowser(lab.proxy, lab.organizer.session)
    browser.ask("GET", "/c/load/agreement/")
    with suppress(*AWAY):  # refused while the last one is still at work
        browser.ask("POST", "/c/load/agreement/compute/", {})


def run(enough: int) -> bool:
    """Whether all is kept, after all faults at least once and so many judgments."""
    with installation() as lab, ThreadPoolExecutor(ASSESSORS) as threads:
        assessors = [Assessor(lab.proxy, person) for person in lab.people]
        at_work = [threads.submit(assessor.work) for assessor in assessors]
        count = 0
        try:
            start_job(lab)
            time.sleep(REST)
            while not count or (count < enough and not all(each.done() for each in at_work)):
                for name, fault in faults(lab):
                    before = acknowledged(assessors)
                    begun = time.monotonic()
                    fault()
                    seconds = time.monotonic() - begun
                    time.sleep(REST)
                    count = acknowledged(assessors)
                    line = f"back after {seconds:.1f} s, {count - before} judgments acknowledged meanwhile"
                    print(f"  {name}: {line}", flush=True)
        finally:
            for assessor in assessors:
                assessor.is_done = True
        for each in at_work:
            each.result(PATIENCE)
        sent = [judgment for assessor in assessors for judgment in assessor.acknowledged]
        file = lab.proxy / "sent.json"
        file.write_text(json.dumps(sent))
        held = run_step("faults", lab.environment, "--check", file)
    tries = sum(assessor.tries for assessor in assessors)
    print(f"  judgments acknowledged: {len(sent)}, with {tries - 2 * len(sent)} requests repeated")
    print(f"  the longest wait for an acknowledgement: {max(judgment.seconds for judgment in sent):.1f} s")
    print(f"  lost: {held['lost']}, doubled: {held['doubled']}, otherwise than sent: {held['other']}")
    print(f"  jobs: {held['jobs']}")
    return len(sent) >= enough and not (held["lost"] or held["doubled"] or held["other"] or held["stuck"])


def acknowledged(assessors: list[Assessor]) -> int:
    return sum(len(assessor.acknowledged) for assessor in assessors)


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
    return 0 if run(1 if asked.quick else ENOUGH) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
