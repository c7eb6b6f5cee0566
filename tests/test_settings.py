"""Settings: the defaults suit one machine, only the environment changes them, and invalid values are refused."""

import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings

from tests import servers

PACKAGE = Path(settings.PACKAGE)
STARTED = """
import gc, sys
import assess.wsgi
from django.test import Client
answer = Client().get("/healthz?full=1", headers={"host": "localhost"})
print('assess.web.home' in sys.modules, gc.get_freeze_count() > 100_000, answer.status_code, answer.json())
"""
Read = Callable[..., SimpleNamespace]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """The settings with an empty folder and these variables."""

    def read(**variables: str) -> SimpleNamespace:
        for name, text in {"ASSESS_VAR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": "", **variables}.items():
            monkeypatch.setenv(name, text)
        return SimpleNamespace(**runpy.run_path(str(PACKAGE / "settings.py")))

    return read


def test_the_header_of_a_proxy_signs_people_in_before_anybody_needs_to_be(read: Read) -> None:
    without, s = read(), read(USER_HEADER="X-Remote-User")
    before = s.MIDDLEWARE.index("assess.web.common.middleware.PersonRequired") - 1
    assert s.MIDDLEWARE[before] == "assess.web.common.middleware.ProxySignIn"
    assert s.AUTHENTICATION_BACKENDS[-1] == "django.contrib.auth.backends.RemoteUserBackend"
    assert not re.search("Proxy|Remote", f"{without.MIDDLEWARE} {without.AUTHENTICATION_BACKENDS}")


def test_the_default_is_sqlite_and_celery_over_files_in_the_var_folder(read: Read, tmp_path: Path) -> None:
    s = read()
    assert (s.DATABASES["default"]["NAME"], s.CELERY_BROKER_URL) == (
        f"{tmp_path}/assess.sqlite3",
        "filesystem://localhost",
    )
    assert (s.DEBUG, s.HTTPS) == (False, False)
    assert oct((tmp_path / "secret-key").stat().st_mode)[-3:] == "600"
    assert read().SECRET_KEY == s.SECRET_KEY, "it stays after a restart"


@pytest.mark.parametrize(("xdg", "folder"), [("data", "data/assess"), ("", "home/.local/share/assess")])
def test_without_a_checkout_data_is_in_the_folder_of_the_user(
    xdg: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings in a package with the shipped files beside them, as the wheel installs them."""
    (tmp_path / "assess/shipped").mkdir(parents=True)
    (tmp_path / "assess/settings.py").write_text((PACKAGE / "settings.py").read_text())
    for name in ("ASSESS_VAR", "ASSESS_MEDIA", "ASSESS_STATIC", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    if xdg:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / xdg))
    s = SimpleNamespace(**runpy.run_path(str(tmp_path / "assess/settings.py")))
    found = [s.VAR_DIR, s.MEDIA_ROOT, s.BASE_DIR]
    assert found == [tmp_path / folder, tmp_path / folder / "media", tmp_path / "assess/shipped"]


def test_the_environment_alone_sets_postgresql_and_redis(read: Read) -> None:
    s = read(DATABASE_URL="postgresql://me@db.example/assess", REDIS_URL="redis://r:1/2")
    database = s.DATABASES["default"]
    assert (database["ENGINE"], database["HOST"]) == ("django.db.backends.postgresql", "db.example")
    assert s.CELERY_BROKER_URL == "redis://r:1/2"
    # A connection that outlives a request is checked before the next.
    assert (database["CONN_MAX_AGE"], database["CONN_HEALTH_CHECKS"]) == (None, True)


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"HTTPS": "yes"}, "HTTPS=yes: use True or False"),
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT=xml: use line or json"),
        ({"ADMINS": "root@lab.example"}, "set EMAIL_HOST, too"),
        ({"SENTRY_DSN": "https://key@sentry.example/1"}, "SENTRY_DSN is set, but sentry_sdk cannot be imported"),
    ],
)
def test_settings_that_can_not_work_are_refused(
    variables: dict[str, str], reason: str, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(ImproperlyConfigured, match=reason):
        read(**variables)


@pytest.mark.django_db
@override_settings(SECURE_SSL_REDIRECT=True)
def test_health_needs_no_sign_in_and_no_https_because_load_balancers_use_none() -> None:
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"database": True, "files": True})
    assert Client().get("/admin/").status_code == 301


def test_a_server_loads_all_pages_for_good_and_its_health_is_503_and_names_what_is_down(tmp_path: Path) -> None:
    port = servers.free_port()
    down = {"DATABASE_URL": f"postgresql://127.0.0.1:{port}/0", "REDIS_URL": f"redis://127.0.0.1:{port}/0"}
    how = {name: text for name, text in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", STARTED],
        cwd=settings.BASE_DIR,
        env={**how, "ASSESS_VAR": str(tmp_path), **down},
        capture_output=True,
        text=True,
        timeout=60,
    )
    health = "{'database': False, 'files': True, 'broker': False, 'worker': False}"
    assert done.stdout.strip() == f"True True 503 {health}", done.stderr


@pytest.mark.django_db
def test_pages_may_run_only_our_own_scripts() -> None:
    policy = Client().get("/healthz")["Content-Security-Policy"].split("; ")  # in any order
    assert {"default-src 'none'", "script-src 'self'"} <= set(policy)


def test_the_version_is_that_of_the_package() -> None:
    package = tomllib.loads(Path(settings.BASE_DIR, "pyproject.toml").read_text())["project"]
    assert package["version"] == settings.VERSION


def test_what_is_not_released_yet_is_no_released_version() -> None:
    """So that a manifest does not name one that covers less."""
    changes = Path(settings.BASE_DIR, "CHANGELOG.md").read_text()
    released = re.findall(r"^## ([0-9.]+) ", changes, re.MULTILINE)
    assert ("## Not released yet" in changes) == (settings.VERSION not in released)
