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

from tests import servers

DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "worker"}
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
        os.environ["DATABASE_URL"] = f"{STACK.enter_context(servers.postgres())}/assess_{os.getpid()}"
        os.environ["REDIS_URL"] = STACK.enter_context(servers.redis())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tests for this engine: on PostgreSQL those that touch a database; the others run with SQLite."""
    engine = "postgres" if os.environ["DATABASE_URL"] else "sqlite"
    chosen = [item for item in items if runs_on(item, engine)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def runs_on(item: pytest.Item, engine: str) -> bool:
    for only in ("sqlite", "postgres"):
        if item.get_closest_marker(only):
            return only == engine
    return engine == "sqlite" or uses_database(item)


def uses_database(item: pytest.Item) -> bool:
    marked = item.get_closest_marker("django_db") is not None
    return marked or not DATABASE_FIXTURES.isdisjoint(item.fixturenames)


def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("terminated", returncode=143))


def pytest_unconfigure(config: pytest.Config) -> None:
    STACK.close()
