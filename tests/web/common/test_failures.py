"""A database or disk that is full, read-only or away is no fault of the program: requests answer 503 and can be tried
again. A server that can save nothing is not healthy."""

import errno
import logging
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, InternalError, OperationalError, connection
from django.test import Client
from pytest_django import Settings

from assess.models import Assignment
from assess.web.common.logs import PassingInOneLine, is_passing
from tests.desk import JSON, card_of, sent, url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada(answers: Assignment) -> Client:
    """Signed in, as a client that gets the error page."""
    client = Client(raise_request_exception=False)
    client.force_login(answers.assessor)
    return client


@pytest.mark.engines
def test_a_read_only_database_is_not_healthy_and_what_it_refuses_can_be_tried_again(
    ada: Client, answers: Assignment
) -> None:
    address, data, card = url(answers, "11"), sent(answers, "11", "3"), card_of(answers, "11")
    rows = [{"instance": card.instance.pk, "content_hash": card.content_hash, "word": "3"}]
    with read_only_database():
        page, answer = ada.post(address, data), ada.post(address, data, headers=JSON)
        by_api = ada.post(f"/api/assignments/{answers.pk}/judgments/", rows, content_type="application/json")
        assert health() == (503, {"database": False, "files": True})
    assert {(each.status_code, each["Retry-After"]) for each in (page, answer, by_api)} == {(503, "10")}
    assert "<h1>" in page.content.decode()
    assert "detail" in answer.json()
    assert by_api.json()["status"] == 503


@contextmanager
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


def away(execute: Callable[..., Any], *args: Any) -> Any:
    raise OperationalError("the database system is shutting down")


@pytest.mark.parametrize(("address", "kind"), [("/", "text/html"), ("/api/campaigns/", "application/problem+json")])
def test_pages_and_api_are_unavailable_without_the_database_and_log_one_line(
    ada: Client, address: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with connection.execute_wrapper(away):
        response = ada.get(address)
    assert (response.status_code, response["Content-Type"].split(";")[0]) == (503, kind)
    lines = [PassingInOneLine().filter(record) and logging.Formatter().format(record) for record in caplog.records]
    assert lines == [f"Service Unavailable: {address}: the database system is shutting down"]
    assert ada.get(address).status_code == 200


@pytest.mark.parametrize(
    ("error", "line"), [(ValueError("x"), "Said"), (PermissionDenied("is archived"), "Said: is archived")]
)
def test_only_what_is_our_fault_keeps_its_traceback(error: Exception, line: str) -> None:
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, "Said", (), (type(error), error, None))
    PassingInOneLine().filter(record)
    assert (record.getMessage(), bool(record.exc_info)) == (line, line == "Said")


def test_other_errors_are_our_fault(ada: Client) -> None:
    def broken(execute: Callable[..., Any], *args: Any) -> Any:
        raise IntegrityError

    with connection.execute_wrapper(broken):
        assert ada.get("/").status_code == 500


def because(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def of_sqlite(name: str) -> sqlite3.Error:
    error = sqlite3.OperationalError()
    error.sqlite_errorname = name
    return error


class PostgresError(Exception):
    """As psycopg2 raises it."""

    def __init__(self, pgcode: str) -> None:
        self.pgcode = pgcode


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (because(OperationalError(), of_sqlite("SQLITE_FULL")), True),
        (because(OperationalError(), of_sqlite("SQLITE_IOERR_WRITE")), True),
        (because(OperationalError(), of_sqlite("SQLITE_ERROR")), False),  # no such table
        (because(OperationalError(), PostgresError("53100")), True),
        (because(OperationalError(), PostgresError("57P01")), True),
        (because(OperationalError(), PostgresError("54001")), False),  # statement too complex
        (because(InternalError(), PostgresError("25006")), True),
        (because(InternalError(), PostgresError("24000")), False),  # invalid cursor
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.ENOENT, "No such file"), False),
        (ValueError(), False),
        (None, False),
    ],
    ids=repr,
)
def test_what_passes_by_itself(error: Exception | None, expected: bool) -> None:
    assert is_passing(error) == expected


def health(address: str = "/healthz") -> tuple[int, dict[str, Any]]:
    answer = Client().get(address)
    return answer.status_code, answer.json()


def test_a_media_store_that_takes_no_files_is_not_healthy(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.MEDIA_ROOT.write_text("in the way")
    assert health() == (503, {"database": True, "files": False})


@pytest.mark.engines
@pytest.mark.worker
def test_a_worker_belongs_to_full_health(worker: subprocess.Popen[bytes]) -> None:
    assert health("/healthz?full=1") == (200, {"database": True, "files": True, "broker": True, "worker": True})
