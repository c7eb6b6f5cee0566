"""Prepares the environment before Django reads its settings: a temporary ASSESS_VAR and the servers.

``pytest`` runs on SQLite with Celery over files, like ``make run``; ``pytest --postgres`` on PostgreSQL with Celery
over Redis, like docker-compose.yml. There it runs the tests marked ``engines``, which depend on the database
(constraints, locks, JSON, SQL). With ``--all``, whole benchmarks run, too, properties are tried with more examples,
jobs are killed at more steps, and on PostgreSQL run every test that uses a database, and the fuzzing.
"""

import contextlib
import gc
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import servers

DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "worker"}
STACK = contextlib.ExitStack()
OVERRIDES = ("SECRET_KEY", "DEBUG", "HTTPS", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "ASSESS_MEDIA", "ASSESS_STATIC")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgres", action="store_true", help="run on real PostgreSQL and Redis")
    everything = "also whole benchmarks; with --postgres, every test that uses a database"
    parser.addoption("--all", action="store_true", help=everything)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    gc.disable()  # until all tests are collected
    prepare(early_config.known_args_namespace.postgres)
    os.environ["ASSESS_MAX_EXAMPLES"] = "200" if early_config.known_args_namespace.all else "25"
    if early_config.known_args_namespace.all:
        os.environ["ASSESS_EVERY_STEP"] = "yes"
    return (yield)


def prepare(postgres: bool) -> None:
    """Sets the variables that assess/settings.py reads, whatever the caller's shell has set."""
    for name in OVERRIDES:
        os.environ.pop(name, None)
    folder = Path(STACK.enter_context(tempfile.TemporaryDirectory(prefix="assess-test-")))
    (folder / "static").mkdir()
    os.environ["ASSESS_VAR"] = str(folder)
    os.environ["ASSESS_QUEUE"] = f"test-{os.getpid()}"
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's event loop runs in the thread of the test
    os.environ["DATABASE_URL"] = os.environ["REDIS_URL"] = ""
    if postgres:
        # The workers of pytest-xdist inherit the environment, so they share these servers.
        server = STACK.enter_context(servers.postgres())
        os.environ["TEST_DATABASE_URL"] = f"{server}/postgres"
        os.environ["TEST_REDIS_URL"] = os.environ["REDIS_URL"] = STACK.enter_context(servers.redis())
        os.environ["DATABASE_URL"] = f"{server}/assess_{os.getpid()}"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The fuzzing takes minutes, and its libraries take long to import. On PostgreSQL, files without a test for
    it would take long, too."""
    is_all, is_postgres = config.getoption("--all"), bool(os.environ["DATABASE_URL"])
    if collection_path.name == "fuzz":
        return None if is_all and is_postgres else True
    if is_all or not is_postgres or not collection_path.name.startswith("test_"):
        return None
    return None if re.search(r"mark\.(engines|postgres)\b", collection_path.read_text()) else True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select the tests for this engine. Those with a worker of Celery come first, so that one process starts one; then
    those of the whole product, which wait longest."""
    engine = "postgres" if os.environ["DATABASE_URL"] else "sqlite"
    selected, others = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        (selected if runs_on(item, engine, config.getoption("--all")) else others).append(item)
    config.hook.pytest_deselected(items=others)
    has_worker = {item.nodeid for item in selected if "worker" in getattr(item, "fixturenames", ())}
    items[:] = sorted(selected, key=lambda item: (item.nodeid not in has_worker, item.path.parent.name != "tests"))


def pytest_collection_finish() -> None:
    gc.freeze()  # what was collected stays
    gc.enable()


def runs_on(item: pytest.Item, engine: str, is_all: bool) -> bool:
    if item.get_closest_marker("whole_benchmark") and not is_all:
        return False
    for only in ("sqlite", "postgres"):
        if item.get_closest_marker(only):
            return only == engine
    return engine == "sqlite" or (uses_database(item) and (is_all or item.get_closest_marker("engines") is not None))


def uses_database(item: pytest.Item) -> bool:
    marked = item.get_closest_marker("django_db") is not None
    return marked or not DATABASE_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))


def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("terminated", returncode=143))


def pytest_unconfigure(config: pytest.Config) -> None:
    STACK.close()
