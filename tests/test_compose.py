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

from tests import servers

ROOT = Path(settings.BASE_DIR)
FILE = ROOT / "docker-compose.yml"
COMPOSE = yaml.safe_load(FILE.read_text())
SERVICES = COMPOSE["services"]
KNOWN = {"image", "build", "init", "restart", "environment", "volumes", "command", "ports"}
KNOWN |= {"depends_on", "healthcheck", "stop_grace_period"}
SECRETS = {"SECRET_KEY": "a-key-for-this-test-only", "POSTGRES_PASSWORD": "pw"}
PROGRAMS = {
    "python": [sys.executable],
    "gunicorn": [sys.executable, "-m", "gunicorn"],
    "celery": [sys.executable, "-m", "celery"],
}


def test_services_use_known_keys_only() -> None:
    assert set(SERVICES) == {"migrate", "web", "worker", "postgres", "redis"}
    assert {key for service in SERVICES.values() for key in service} <= KNOWN


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


def test_every_named_volume_is_declared_and_used() -> None:
    mounts = {mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", [])}
    assert mounts == set(COMPOSE["volumes"]) == {"database", "media", "queue"}


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


def test_the_compose_client_accepts_it_only_with_secrets() -> None:
    command = [*compose_client(), "-f", str(FILE), "config", "--quiet"]
    bare = {name: value for name, value in os.environ.items() if name not in SECRETS}
    assert subprocess.run(command, env={**bare, **SECRETS}, capture_output=True).returncode == 0
    without = subprocess.run(command, env=bare, cwd=ROOT, capture_output=True, text=True)
    if not (ROOT / ".env").exists():
        assert without.returncode != 0
        assert "set it in .env, see docs/operations.md" in without.stderr


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
    ping = PROGRAMS["celery"] + SERVICES["worker"]["healthcheck"]["test"][2:]

    with (
        servers.running(command_of("worker", port), lambda: True, tmp_path / "worker.log", **how),
        servers.running(command_of("web", port), lambda: bool(health(address)), tmp_path / "web.log", **how),
    ):
        assert health(address) == dict.fromkeys(("database", "files", "broker", "worker"), True)
        page = urllib.request.urlopen(f"{address}/admin/login/").read().decode()
        style = re.search(r'href="(/static/[^"]+\.[0-9a-f]{12}\.css)"', page)[1]
        assert urllib.request.urlopen(address + style).status == 200
        end = time.monotonic() + 60
        while (answer := subprocess.run(ping, capture_output=True, text=True, **how)).returncode:
            assert time.monotonic() < end, (answer.stderr, (tmp_path / "worker.log").read_text())
        assert "pong" in answer.stdout
