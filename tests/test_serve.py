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
from pathlib import Path

import pytest
from django.conf import settings

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
campaign = campaigns.create(name="Small lab", preset="arqmath1-task1", by=olga)
Job.objects.create(campaign=campaign, kind="runs", params={"files": []}, created_by=olga,
                   state="running", heartbeat=timezone.now(), worker="gone:1")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ASSESS_VAR with a database in which a job was interrupted, as after a power cut."""
    path = tmp_path_factory.mktemp("var")
    command = [*MANAGE, "shell", "--verbosity", "0", "-c", INTERRUPTED_JOB]
    subprocess.run(command, env=environment(path), check=True, timeout=60)
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
        assert within(30, lambda: healthy(f"{address}healthz?full=1"))  # a worker starts later than the web server
        page = urllib.request.urlopen(f"{address}admin/login/").read().decode()
        style = re.search(r'href="/(static/admin/css/base\.[0-9a-f]{12}\.css)"', page)[1]
        answer = urllib.request.urlopen(address + style)
        assert "immutable" in answer.headers["Cache-Control"]
        assert within(30, lambda: job_states(folder)[0][0] == "done")
        assert job_states(folder)[0][1] != "gone:1"

        second = subprocess.run(
            [*MANAGE, "serve", "--no-demo", "--port", "0"], env=environment(folder), capture_output=True, text=True
        )
        assert second.returncode == 1
        assert f"already running on {folder} (process {process.pid})" in second.stderr

        pids = children(process)
        assert len(pids) == 2  # web server, worker
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert not any(map(alive, pids))


def test_if_the_worker_dies_the_web_server_stops_and_the_log_is_named(folder: Path) -> None:
    with serving(folder) as (process, _, _):
        web, worker = children(process)
        os.kill(worker, signal.SIGKILL)
        output, _ = process.communicate(timeout=30)
        assert process.returncode == 1
        assert "The worker has stopped (exit code -9)" in output
        assert str(folder / "log" / "worker.log") in output
        assert not alive(web)


def test_if_serve_is_killed_its_processes_end(folder: Path) -> None:
    with serving(folder) as (process, _, _):
        pids = children(process)
        process.kill()
        process.wait(10)
        assert within(20, lambda: not any(map(alive, pids)))


def test_a_port_in_use_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*MANAGE, "serve", "--port", str(port)], env=environment(tmp_path), capture_output=True, text=True
        )
    assert done.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}: Address already in use. Choose another port" in done.stderr
    assert not (tmp_path / "assess.sqlite3").exists()
