"""Settings: the defaults suit one machine, only the environment changes them, and invalid values are refused."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, override_settings

from tests import servers

SHOW = "from django.conf import settings as s; s.DATABASES; print(({expression}))"
ASK_HEALTH = """
import django
from django.test import Client
django.setup()
answer = Client().get("/healthz?full=1", headers={"host": "localhost"})
print(answer.status_code, answer.json())
"""
Run = Callable[..., subprocess.CompletedProcess[str]]
STRONG_KEY = "a-key-of-more-than-fifty-characters-that-nobody-else-has-0123456789"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs Python with these arguments, an empty folder and these variables."""

    def start(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        outside = {name: text for name, text in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
        basic = {"ASSESS_VAR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
        basic["DJANGO_SETTINGS_MODULE"] = "assess.settings"
        return subprocess.run(
            [sys.executable, "-W", "error::DeprecationWarning", *arguments],
            cwd=settings.BASE_DIR,
            env={**outside, **basic, **variables},
            capture_output=True,
            text=True,
            timeout=60,
        )

    return start


def value(run: Run, expression: str, **variables: str) -> str:
    done = run("-c", SHOW.format(expression=expression), **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_header_of_a_proxy_signs_people_in_before_anybody_needs_to_be(run: Run) -> None:
    before = "s.MIDDLEWARE[s.MIDDLEWARE.index('assess.web.common.middleware.PersonRequired') - 1]"
    named = "('assess.web.common.middleware.ProxySignIn', 'django.contrib.auth.backends.RemoteUserBackend')"
    assert value(run, f"{before}, s.AUTHENTICATION_BACKENDS[-1]", USER_HEADER="X-Remote-User") == named
    assert "Proxy" not in value(run, "s.MIDDLEWARE")
    assert "Remote" not in value(run, "s.AUTHENTICATION_BACKENDS")


def test_the_default_is_sqlite_and_celery_over_files_in_the_var_folder(run: Run, tmp_path: Path) -> None:
    expression = "s.DATABASES['default']['NAME'], s.CELERY_BROKER_URL, s.DEBUG, s.HTTPS"
    assert value(run, expression) == f"('{tmp_path}/assess.sqlite3', 'filesystem://localhost', False, False)"
    assert oct((tmp_path / "secret-key").stat().st_mode)[-3:] == "600"


def test_a_connection_that_outlives_a_request_is_checked_before_the_next(run: Run) -> None:
    expression = "s.DATABASES['default']['CONN_MAX_AGE'], s.DATABASES['default']['CONN_HEALTH_CHECKS']"
    assert value(run, expression, DATABASE_URL="postgres://u:p@db/x", SECRET_KEY=STRONG_KEY) == "(None, True)"


def test_the_environment_alone_sets_postgresql_and_redis(run: Run) -> None:
    expression = "s.DATABASES['default']['ENGINE'], s.DATABASES['default']['HOST'], s.CELERY_BROKER_URL"
    shown = value(run, expression, DATABASE_URL="postgresql://me@db.example/assess", REDIS_URL="redis://r:1/2")
    assert shown == "('django.db.backends.postgresql', 'db.example', 'redis://r:1/2')"


def test_a_switch_takes_only_true_or_false(run: Run) -> None:
    done = run("manage.py", "check", HTTPS="yes")
    assert done.returncode != 0
    assert "HTTPS=yes: use True or False" in done.stderr


def test_with_https_the_deployment_check_has_no_warnings(run: Run) -> None:
    done = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", HTTPS="True", SECRET_KEY=STRONG_KEY)
    assert done.returncode == 0, done.stderr


def test_the_secret_key_stays_after_a_restart(run: Run) -> None:
    assert value(run, "s.SECRET_KEY") == value(run, "s.SECRET_KEY")


@pytest.mark.django_db
def test_health_needs_no_sign_in() -> None:
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"database": True, "files": True})


@pytest.mark.django_db
@override_settings(SECURE_SSL_REDIRECT=True)
def test_health_needs_no_https_because_load_balancers_use_none() -> None:
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/admin/").status_code == 301


@pytest.mark.parametrize(
    ("variable", "scheme", "health"),
    [
        ("DATABASE_URL", "postgresql", "{'database': False, 'files': True, 'broker': True, 'worker': False}"),
        ("REDIS_URL", "redis", "{'database': False, 'files': True, 'broker': False, 'worker': False}"),
    ],
)
def test_health_is_503_and_names_what_is_down(run: Run, variable: str, scheme: str, health: str) -> None:
    unused = f"{scheme}://127.0.0.1:{servers.free_port()}/0"
    done = run("-c", ASK_HEALTH, **{variable: unused})
    assert done.stdout.strip() == f"503 {health}", done.stderr


def test_the_loaded_pages_are_not_searched_for_garbage(run: Run) -> None:
    code = "import gc, sys, assess.wsgi; assert 'assess.web.home' in sys.modules; print(gc.get_freeze_count())"
    assert int(run("-c", code).stdout) > 100_000


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
