"""Prepares the environment before Django's settings are read: a throw-away ASSESS_VAR and the run's servers.

``pytest`` runs on SQLite with Celery over files, like ``make run``; ``pytest --postgres`` (or
TEST_ENGINE=postgresql) on PostgreSQL with Celery over Redis, like docker-compose.yml.
"""

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import services

STACK = contextlib.ExitStack()
OVERRIDES = (
    "SECRET_KEY",
    "DEBUG",
    "HTTPS",
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "ASSESS_MEDIA",
    "ASSESS_STATIC",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgres", action="store_true", help="run on real PostgreSQL and Redis")


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    prepare(early_config.known_args_namespace.postgres or os.environ.get("TEST_ENGINE") == "postgresql")
    return (yield)


def prepare(postgres: bool) -> None:
    """Sets the variables that assess/settings.py reads; what the caller's shell has set must not leak in."""
    for name in OVERRIDES:
        os.environ.pop(name, None)
    folder = Path(STACK.enter_context(tempfile.TemporaryDirectory(prefix="assess-test-")))
    (folder / "static").mkdir()
    os.environ["ASSESS_VAR"] = str(folder)
    os.environ["ASSESS_QUEUE"] = f"test-{os.getpid()}"
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in the thread of the test
    os.environ["DATABASE_URL"] = os.environ["REDIS_URL"] = ""
    if postgres:
        os.environ["DATABASE_URL"] = f"{STACK.enter_context(services.postgres())}/assess_{os.getpid()}"
        os.environ["REDIS_URL"] = STACK.enter_context(services.redis())


def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("terminated", returncode=143))


def pytest_unconfigure(config: pytest.Config) -> None:
    STACK.close()
