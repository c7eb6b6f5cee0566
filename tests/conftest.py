"""A real worker and a real browser. Both need ``@pytest.mark.django_db(transaction=True)``."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests import pages, real, servers
from tests.pages import PATIENCE, NewPage, Pages, SharedContext, SignIn

if TYPE_CHECKING:
    from assess.models import Campaign
    from tests.cast import Cast
    from tests.lab import Lab

CHROMIUM_FLAGS = [
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",  # no other host is ever reached
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session", autouse=True)
def quick_settings() -> None:
    """Fast password hashes, static files without hashed names, and keys that judge a new item at once;
    all other settings are as in production. Emptying the database after a test does not make Django's
    permissions again, which nothing here uses."""
    from django.conf import settings
    from django.contrib.contenttypes.management import create_contenttypes
    from django.db.models.signals import post_migrate

    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]
    settings.DESK_EARLY_MS = 0
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """The tables are made from the models, in a tenth of the time that all the migrations take: those run in the tests
    of ``manage.py serve`` on SQLite, and of docker-compose.yml on PostgreSQL. SQLite does not wait for the disk."""
    from django.db import connection

    connection.settings_dict["TEST"]["MIGRATE"] = False
    if connection.vendor == "sqlite":
        options = connection.settings_dict["OPTIONS"]
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")


@pytest.fixture
def lab(db: None, tmp_path: Path) -> "Lab":
    from tests.lab import make_lab

    return make_lab(tmp_path)


@pytest.fixture
def campaign(db: None) -> "Campaign":
    from tests.cast import make_campaign

    return make_campaign()


@pytest.fixture
def cast(campaign: "Campaign") -> "Cast":
    """All users, as members of the campaign."""
    from tests.cast import make_cast

    return make_cast(campaign)


@pytest.fixture(autouse=True)
def empty_media() -> None:
    """No test finds files of another: SQLite reuses the keys of rolled back rows."""
    from django.conf import settings

    shutil.rmtree(settings.MEDIA_ROOT, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Marks in the report which tests read the labs' real data."""
    if item.nodeid in real.USERS:
        item.user_properties.append(("real_data", "yes"))


def database_url() -> str:
    """The URL of the test database, for other processes."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    url = os.environ["DATABASE_URL"]
    return f"{url.rsplit('/', 1)[0]}/{name}" if url else f"sqlite:///{name}"


@pytest.fixture(scope="session")
def worker(django_db_setup: None, django_db_blocker: object) -> Iterator[subprocess.Popen[bytes]]:
    """A Celery worker in its own process, with the test database and broker."""
    from assess.celery import app

    command = [sys.executable, *["-m", "celery", "-A", "assess", "worker", "-P", "threads", "-c", "2", "-l", "info"]]
    log = Path(os.environ["ASSESS_VAR"]) / "worker.log"
    environment = {**os.environ, "DATABASE_URL": database_url()}
    with servers.running(
        command, lambda: bool(app.control.ping(timeout=0.5)), log, env=environment, stdin=subprocess.DEVNULL
    ) as process:
        WORKERS.append(process)
        yield process
        WORKERS.remove(process)


WORKERS: list[subprocess.Popen[bytes]] = []


@pytest.fixture
def no_worker() -> Iterator[None]:
    """As if there were no worker, although an earlier test may have needed one."""
    for process in WORKERS:
        process.send_signal(signal.SIGSTOP)
    yield
    for process in WORKERS:
        process.send_signal(signal.SIGCONT)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if not path:
        pytest.fail("Chromium is not installed: see docs/operations.md, Tests")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*CHROMIUM_FLAGS, "--process-per-site"])
        expect.set_options(timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def all_answered() -> Iterator[None]:
    """Waits at the end until the server has answered everything: late requests of a closed page must not meet the data
    of the next test."""
    from django.core.signals import request_finished, request_started

    busy: list[int] = []

    def started(**_: object) -> None:
        busy.append(threading.get_ident())

    def finished(**_: object) -> None:
        if threading.get_ident() in busy:
            busy.remove(threading.get_ident())

    request_started.connect(started)
    request_finished.connect(finished)
    yield
    quiet = time.monotonic()
    end = quiet + PATIENCE / 1000
    while time.monotonic() < min(end, quiet + 0.05):  # a request may be accepted but not started
        if set(busy) - {threading.get_ident()}:
            quiet = time.monotonic()
        time.sleep(0.01)
    request_started.disconnect(started)
    request_finished.disconnect(finished)


@pytest.fixture(scope="session")
def shared_context(browser: Browser, live_server: LiveServer) -> SharedContext:
    return SharedContext(browser, live_server.url)


@pytest.fixture
def problems(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """What pages did wrong: they logged an error, violated the Content-Security-Policy or requested another host. The
    test fails if anything is left here at the end, unless it is marked ``problems_expected``."""
    problems: list[str] = []
    yield problems
    if not request.node.get_closest_marker("problems_expected"):
        assert problems == []


@pytest.fixture
def new_page(shared_context: SharedContext, problems: list[str], all_answered: None) -> Iterator[NewPage]:
    """Opens pages: ``new_page(width=400)``. Their addresses are relative to the live server's."""
    opened = Pages(shared_context, problems)
    yield opened.open
    opened.close()


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """One page at 1280 x 800."""
    return new_page()


@pytest.fixture
def sign_in(live_server: LiveServer) -> SignIn:
    """Signs a user in without the form: ``sign_in(page, user)``."""
    return lambda page, user: pages.sign_in(page.context, user, live_server.url)
