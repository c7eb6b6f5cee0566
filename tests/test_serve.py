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
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from assess.management.commands import serve
from assess.management.commands.serve import is_local, refuse_open_demo
from assess.management.supervision import running_children, watch_children
from assess.services import demo
from tests import servers
from tests.cast import make_user
from tests.databases.keep import FOLDER
from tests.servers import within

pytestmark = pytest.mark.sqlite

INTERRUPTED_JOB = """
INSERT INTO assess_job (kind, params, state, done, total, message, error, result, created, heartbeat, cancel, worker,
    campaign_id, created_by_id)
SELECT 'runs', '{"files": []}', 'running', 0, 0, '', '', '{}', datetime('now'), datetime('now'), 0, 'gone:1',
    campaign_id, user_id FROM assess_member WHERE role = 'organizer';
"""
SUPERVISOR = """
import sys, time
from pathlib import Path
from assess.management.supervision import running_children
with running_children({Path(sys.argv[1]): ["sleep", "1000"]}, []) as children:
    print(*(child.pid for child in children.values()), flush=True)
    time.sleep(1000)
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def healthy(url: str) -> bool:
    try:
        return urllib.request.urlopen(url).status == 200
    except urllib.error.HTTPError:
        return False


def test_it_serves_resumes_the_interrupted_job_and_stops_on_ctrl_c(tmp_path: Path, settings: Settings) -> None:
    """On a database of a release in which a job was interrupted, as after a power cut."""
    settings.VAR_DIR, log = tmp_path, tmp_path / "serve.log"
    with closing(sqlite3.connect(tmp_path / "assess.sqlite3")) as database:
        database.executescript((FOLDER / "0.1.0.sql").read_text() + INTERRUPTED_JOB)

        def job_state() -> tuple[str, str]:
            return database.execute("SELECT state, worker FROM assess_job").fetchone()

        environment = {**os.environ, "ASSESS_VAR": str(tmp_path), "DATABASE_URL": "", "ASSESS_QUEUE": "assess"}
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve", "--no-demo", "--port", "0"]
        with servers.running(command, lambda: "Ctrl-C" in log.read_text(), log, env=environment) as process:
            assert "Resuming 1 unfinished job." in log.read_text()
            address = re.search(r"http://\S+", log.read_text())[0]
            assert within(120, lambda: healthy(f"{address}healthz?full=1"))  # a worker starts later than the web server
            page = urllib.request.urlopen(f"{address}admin/login/").read().decode()
            style = re.search(r'href="/(static/admin/css/base\.[0-9a-f]{12}\.css)"', page)[1]
            for file in (style, "static/mathjax-3.2.2/startup.js"):  # its folder has the version
                assert "immutable" in urllib.request.urlopen(address + file).headers["Cache-Control"]
            assert within(120, lambda: job_state()[0] == "done")
            assert job_state()[1] != "gone:1"
            outlasts_a_pause(address)
            with pytest.raises(CommandError, match=rf"already running on {tmp_path} \(process {process.pid}\)"):
                call_command("serve", port=0)
            pids = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
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
def test_the_demo_is_not_served_to_other_machines(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    monkeypatch.setattr(serve, "running_children", pytest.fail)
    monkeypatch.setattr(serve.Command, "prepare", lambda _: None)
    reason = r"The demo's password is public, and 0\.0\.0\.0 can be reached from other machines"
    with pytest.raises(CommandError, match=reason):
        call_command("serve", port=0, host="0.0.0.0")
    assert [is_local(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0")] == [True, True, True, False]
    ada = demo.make_demo_account("ada")
    make_user("emmy")  # has another password
    with pytest.raises(CommandError, match="The accounts ada have"):
        refuse_open_demo("192.0.2.1", will_load=False)
    ada.set_password("another one")
    ada.save()
    refuse_open_demo("192.0.2.1", will_load=False)
    settings.ALLOWED_HOSTS = ["lab.example", *settings.ALLOWED_HOSTS]
    with pytest.raises(CommandError, match=r"lab\.example"):
        call_command("demo")


def test_if_one_process_dies_the_other_ends_and_the_log_is_named(tmp_path: Path) -> None:
    web, worker = tmp_path / "log/web.log", tmp_path / "log/worker.log"
    with running_children({web: ["sleep", "1000"], worker: ["false"]}, []) as children:
        reason = rf"A process has stopped \(exit code 1\), .* see the end of {worker}"
        with pytest.raises(CommandError, match=reason):
            watch_children(children)
        assert children[web].poll() is None
    assert children[web].poll() == -signal.SIGTERM


def test_if_the_supervisor_is_killed_its_processes_end(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SUPERVISOR, str(tmp_path / "log")]
    with subprocess.Popen(command, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True) as supervisor:
        pids = [int(pid) for pid in supervisor.stdout.readline().split()]
        supervisor.kill()
    assert pids
    assert within(20, lambda: not any(map(alive, pids)))


def test_a_port_in_use_is_refused_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve.Command, "prepare", pytest.fail)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        reason = f"Cannot listen on 127.0.0.1:{port}: Address already in use. Choose another port"
        with pytest.raises(CommandError, match=re.escape(reason)):
            call_command("serve", port=port)
