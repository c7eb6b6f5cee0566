"""``manage.py serve``: one command starts everything, Ctrl-C stops it."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from assess.management.commands import serve
from assess.management.commands.serve import first_account, is_local, refuse_open_demo
from assess.services import demo
from tests.cast import make_user

pytestmark = pytest.mark.sqlite

MANAGE = [sys.executable, str(settings.BASE_DIR / "manage.py")]
INTERRUPTED_JOB = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
from django.utils import timezone
from assess.models import Job
from assess.services.campaign import campaigns
olga = User.objects.create(username="olga")
campaign = campaigns.create_campaign(name="Small lab", preset="arqmath1-task1", by=olga)
Job.objects.create(campaign=campaign, kind="runs", params={"files": []}, created_by=olga,
                   state="running", heartbeat=timezone.now(), worker="gone:1")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ASSESS_VAR with a database in which a job was interrupted, as after a power cut."""
    path = tmp_path_factory.mktemp("var")
    command = [*MANAGE, "shell", "--verbosity", "0", "-c", INTERRUPTED_JOB]
    subprocess.run(command, env=environment(path), check=True, timeout=300)
    return path


def environment(folder: Path) -> dict[str, str]:
    changed = {"ASSESS_VAR": str(folder), "DATABASE_URL": "", "REDIS_URL": "", "ASSESS_QUEUE": "assess"}
    return {**os.environ, **changed}


@contextmanager
def serving(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A running ``serve`` on a free port, its address and its output so far."""
    process = subprocess.Popen(
        [*MANAGE, "serve", "--no-demo", "--port", "0"],
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        lines: list[str] = []
        while not (lines and "Ctrl-C" in lines[-1]):
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)  # empty if it has ended
        yield process, re.search(r"http://\S+", "".join(lines))[0], "".join(lines)
    finally:
        process.kill()
        process.communicate(timeout=30)


def children(process: subprocess.Popen[str]) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def healthy(url: str) -> bool:
    try:
        return urllib.request.urlopen(url).status == 200
    except urllib.error.HTTPError:
        return False


def job_states(folder: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(folder / "assess.sqlite3")) as database:
        return database.execute("SELECT state, worker FROM assess_job").fetchall()


def test_it_serves_resumes_the_interrupted_job_and_stops_on_ctrl_c(folder: Path) -> None:
    with serving(folder) as (process, address, output):
        assert "Resuming 1 unfinished job." in output
        assert within(120, lambda: healthy(f"{address}healthz?full=1"))  # a worker starts later than the web server
        page = urllib.request.urlopen(f"{address}admin/login/").read().decode()
        style = re.search(r'href="/(static/admin/css/base\.[0-9a-f]{12}\.css)"', page)[1]
        for file in (style, "static/mathjax-3.2.2/startup.js"):  # its folder has the version
            assert "immutable" in urllib.request.urlopen(address + file).headers["Cache-Control"]
        assert within(120, lambda: job_states(folder)[0][0] == "done")
        assert job_states(folder)[0][1] != "gone:1"
        outlasts_a_pause(address)

        second = subprocess.run(
            [*MANAGE, "serve", "--no-demo", "--port", "0"], env=environment(folder), capture_output=True, text=True
        )
        assert second.returncode == 1
        assert f"already running on {folder} (process {process.pid})" in second.stderr

        pids = children(process)
        assert len(pids) == 2  # web server, worker
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert not any(map(alive, pids))


def outlasts_a_pause(address: str) -> None:
    """gunicorn by itself closes a connection after two seconds; the next judgment on it would fail."""
    server = HTTPConnection(urlsplit(address).netloc, timeout=30)
    for pause in (2.5, 0):
        server.request("GET", "/login/")
        server.getresponse().read()
        connection = server.sock
        time.sleep(pause)
    assert server.sock is connection
    # A body whose length is not said, with a made-up cookie: it is refused before any of it is read.
    server.putrequest("POST", "/login/")
    server.putheader("Transfer-Encoding", "chunked")
    server.putheader("Cookie", "csrftoken=" + "a" * 32)
    server.endheaders()
    assert server.getresponse().status == 403
    server.close()


@pytest.mark.django_db
def test_the_demo_is_not_served_to_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "running_children", pytest.fail)
    monkeypatch.setattr(serve.Command, "prepare", lambda _: None)
    reason = r"The demo's password is public, and 0\.0\.0\.0 can be reached from other machines"
    with pytest.raises(CommandError, match=reason):
        call_command("serve", port=0, host="0.0.0.0")


@pytest.mark.django_db
def test_accounts_with_the_demos_password_are_not_served_to_other_machines() -> None:
    ada = demo.make_demo_account("ada")
    make_user("emmy")  # has another password
    with pytest.raises(CommandError, match="The accounts ada have"):
        refuse_open_demo("192.0.2.1", will_load=False)
    ada.set_password("another one")
    ada.save()
    refuse_open_demo("192.0.2.1", will_load=False)


@pytest.mark.django_db
def test_an_empty_installation_says_how_to_make_the_first_account() -> None:
    assert "createsuperuser" in first_account()
    make_user("olga")
    assert first_account() == ""


@pytest.mark.django_db
def test_the_demo_is_not_loaded_where_other_machines_connect(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["lab.example", *settings.ALLOWED_HOSTS]
    with pytest.raises(CommandError, match=r"lab\.example"):
        call_command("demo")


@pytest.mark.parametrize(
    ("host", "local"), [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False)]
)
def test_only_loopback_is_this_machine(host: str, local: bool) -> None:
    assert is_local(host) is local


def test_if_the_worker_dies_the_web_server_stops_and_the_log_is_named(folder: Path) -> None:
    with serving(folder) as (process, _, _):
        web, worker = children(process)
        os.kill(worker, signal.SIGKILL)
        output, _ = process.communicate(timeout=30)
        assert process.returncode == 1
        assert "A process has stopped (exit code -9)" in output
        assert str(folder / "log" / "worker.log") in output
        assert not alive(web)


def test_if_serve_is_killed_its_processes_end(folder: Path) -> None:
    with serving(folder) as (process, _, _):
        pids = children(process)
        process.kill()
        process.wait(10)
        assert within(20, lambda: not any(map(alive, pids)))


def test_a_port_in_use_is_refused_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve.Command, "prepare", pytest.fail)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        reason = f"Cannot listen on 127.0.0.1:{port}: Address already in use. Choose another port"
        with pytest.raises(CommandError, match=re.escape(reason)):
            call_command("serve", port=port)
