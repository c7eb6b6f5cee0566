"""docker-compose.yml is consistent, and its processes work together with real servers."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import yaml
from django.conf import settings
from django.db import connection

from assess import tasks
from tests import servers

ROOT = Path(settings.BASE_DIR)
FILE = ROOT / "docker-compose.yml"
COMPOSE = yaml.safe_load(FILE.read_text())
SERVICES = COMPOSE["services"]
SECRETS = {"SECRET_KEY": "a-key-for-this-test-only", "POSTGRES_PASSWORD": "pw"}
PROGRAMS = {
    "assess": [sys.executable, "manage.py"],
    "python": [sys.executable],
    "gunicorn": [sys.executable, "-m", "gunicorn"],
    "celery": [sys.executable, "-m", "celery"],
}


def test_web_and_worker_are_one_image() -> None:
    assert SERVICES["web"]["image"] == SERVICES["worker"]["image"] == SERVICES["migrate"]["image"]
    assert SERVICES["web"]["environment"] == SERVICES["worker"]["environment"]


def test_services_that_others_wait_for_have_a_health_check() -> None:
    for service in SERVICES.values():
        for name, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"
            else:
                assert (name, how["condition"]) == ("migrate", "service_completed_successfully")


def test_every_variable_is_in_the_handbook() -> None:
    handbook = (ROOT / "docs/operations.md").read_text()
    names = set(re.findall(r"\$\{(\w+)", FILE.read_text()))
    assert names >= set(SECRETS)
    assert [name for name in sorted(names) if f"`{name}`" not in handbook] == []


def compose_client() -> list[str]:
    for client in (["docker", "compose"], ["docker-compose"]):
        works = shutil.which(client[0]) and subprocess.run([*client, "version"], capture_output=True)
        if works and works.returncode == 0:
            return client
    pytest.skip("no compose client: neither `docker compose` nor `docker-compose` answers")


def test_the_compose_client_accepts_it_only_with_secrets(tmp_path: Path) -> None:
    shutil.copy(FILE, tmp_path)
    bare = {name: value for name, value in os.environ.items() if name not in SECRETS}
    how: dict[str, Any] = {"cwd": tmp_path, "env": bare, "capture_output": True, "text": True}
    settings_file = tmp_path / ".env"
    settings_file.write_text("")
    without = subprocess.run([*compose_client(), "config"], **how)
    assert without.returncode != 0
    assert "set it in .env, see docs/operations.md" in without.stderr
    given = SECRETS | {"EMAIL_HOST": "mail.example", "HTTPS": "True"}
    settings_file.write_text("".join(f"{name}={value}\n" for name, value in given.items()))
    shown = yaml.safe_load(subprocess.run([*compose_client(), "config"], check=True, **how).stdout)
    for service in ("migrate", "web", "worker"):  # all settings reach those that read them
        assert given.items() - shown["services"][service]["environment"].items() == set()


def worker_check() -> list[str]:
    program, *arguments = SERVICES["worker"]["healthcheck"]["test"][1:]
    return PROGRAMS[program] + arguments


@pytest.mark.django_db
def test_a_worker_is_healthy_if_it_has_looked_for_jobs_a_short_while_ago(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tasks, "ALIVE", tmp_path / "worker-alive")
    monkeypatch.setenv("ASSESS_VAR", str(tmp_path))
    monkeypatch.setattr(connection, "close", lambda: None)  # the test needs it
    assert subprocess.run(worker_check(), capture_output=True).returncode != 0
    tasks.look_for_abandoned_jobs()
    assert subprocess.run(worker_check(), capture_output=True).returncode == 0
    an_hour_ago = time.time() - 3600
    os.utime(tasks.ALIVE, (an_hour_ago, an_hour_ago))
    assert subprocess.run(worker_check(), capture_output=True).returncode != 0


def test_ports_are_open_to_this_machine_only_logs_are_limited_and_nothing_runs_as_root() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports == ["127.0.0.1:${PORT:-8000}:8000"]
    assert {service["logging"]["options"]["max-size"] for service in SERVICES.values()} == {"10m"}
    *_, image = (ROOT / "Dockerfile").read_text().split("\nFROM ")
    assert re.findall(r"^USER (.+)", image, re.MULTILINE) == ["assess"]


def filled(text: str) -> str:
    """A value of the file with secrets and defaults, as compose would fill them in."""
    return re.sub(r"\$\{(\w+):(?:\?|-)([^}]*)\}", lambda match: SECRETS.get(match[1]) or match[2], text)


def command_of(service: str, port: int) -> list[str]:
    program, *arguments = SERVICES[service]["command"]
    return PROGRAMS[program] + [argument.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for argument in arguments]


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of the containers, with the servers of this test run and an empty database."""
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    name = f"compose_{os.getpid()}"
    variables = {key: filled(value) for key, value in SERVICES["web"]["environment"].items()}
    variables["DATABASE_URL"] = f"{server}/{name}"
    variables["REDIS_URL"] = os.environ["REDIS_URL"]
    for folder in ("VAR", "MEDIA", "STATIC"):
        variables[f"ASSESS_{folder}"] = str(tmp_path / folder.lower())
    (tmp_path / "var").mkdir()  # as the image has it
    outside = {"PATH": os.environ["PATH"], "ASSESS_QUEUE": f"{os.environ['ASSESS_QUEUE']}-compose"}
    with contextlib.closing(psycopg2.connect(f"{server}/postgres")) as link:
        link.autocommit = True
        link.cursor().execute(f"CREATE DATABASE {name}")
        yield {**outside, **variables}
        link.cursor().execute(f"DROP DATABASE {name} WITH (FORCE)")


def health(address: str) -> dict[str, bool]:
    try:
        with urllib.request.urlopen(f"{address}/healthz?full=1", timeout=10) as answer:
            return json.load(answer)
    except OSError:  # it does not listen yet, or is slow
        return {}


@pytest.mark.postgres
def test_its_processes_work_together_without_containers(environment: dict[str, str], tmp_path: Path) -> None:
    port = servers.free_port()
    address = f"http://127.0.0.1:{port}"
    how: dict[str, Any] = {"env": environment, "cwd": ROOT, "stdin": subprocess.DEVNULL}
    subprocess.run(command_of("migrate", port), check=True, capture_output=True, **how)
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput"]  # as the image's build does
    subprocess.run(collect, check=True, capture_output=True, **how)
    ping = worker_check()

    with (
        servers.running(command_of("worker", port), lambda: True, tmp_path / "worker.log", **how),
        servers.running(command_of("web", port), lambda: bool(health(address)), tmp_path / "web.log", **how),
    ):
        assert health(address) == dict.fromkeys(("database", "files", "broker", "worker"), True)
        page = urllib.request.urlopen(f"{address}/admin/login/").read().decode()
        style = re.search(r'href="(/static/[^"]+\.[0-9a-f]{12}\.css)"', page)[1]
        assert urllib.request.urlopen(address + style).status == 200
        is_healthy = servers.within(60, lambda: not subprocess.run(ping, capture_output=True, **how).returncode)
        assert is_healthy, (tmp_path / "worker.log").read_text()
