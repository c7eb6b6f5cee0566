"""Health: a server that answers but can save nothing is not healthy."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db(transaction=True)


def health(address: str = "/healthz") -> tuple[int, dict[str, Any]]:
    answer = Client().get(address)
    return answer.status_code, answer.json()


@pytest.fixture
def read_only_database() -> Iterator[None]:
    statements = {
        "sqlite": ("PRAGMA query_only = ON", "PRAGMA query_only = OFF"),
        "postgresql": ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off"),
    }
    begin, end = statements[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(begin)
        yield
        cursor.execute(end)


@pytest.mark.engines
def test_a_read_only_database_is_not_healthy(read_only_database: None) -> None:
    assert health() == (503, {"database": False, "files": True})


def test_a_media_store_that_takes_no_files_is_not_healthy(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.MEDIA_ROOT.write_text("in the way")
    assert health() == (503, {"database": True, "files": False})


@pytest.mark.engines
@pytest.mark.worker
def test_a_worker_belongs_to_full_health(worker: subprocess.Popen[bytes]) -> None:
    assert health("/healthz?full=1") == (200, {"database": True, "files": True, "broker": True, "worker": True})
