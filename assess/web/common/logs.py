"""What a request answers that failed, and what the log says of requests: with ``LOG_FORMAT=json``, one JSON object
on each line. Failures of the machine, not of the program, pass, and what failed can be tried again."""

import errno
import json
import logging
import re
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, InternalError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.views.defaults import server_error

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
READ_ONLY = "25006"
"""PostgreSQL's code for writing in a transaction that may only read."""
FAULTY = ("SQLITE_ERROR", "54")
"""Codes of databases for statements that fail each time: SQLite's for what it does not understand, PostgreSQL's class
of statements that are too large."""
PAUSE = 10
"""Seconds after which it is worth trying again."""


def is_passing(error: BaseException | None) -> bool:
    """Whether the database or the disk is full, read-only, locked or away."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    if isinstance(error, InternalError):
        return code_of(error) == READ_ONLY
    return isinstance(error, OperationalError | InterfaceError) and not code_of(error).startswith(FAULTY)


def code_of(error: BaseException) -> str:
    """SQLite's name or PostgreSQL's code of an error; empty if it has none, as without a connection."""
    cause = error.__cause__
    return getattr(cause, "sqlite_errorname", "") or getattr(cause, "pgcode", "") or ""


class PassingInOneLine(logging.Filter):
    """While the database or the disk is away, every request fails for the same reason: a line says it, without the
    traceback. So it does if somebody may not do something, which is no fault."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, PermissionDenied) or is_passing(error):
            record.msg, record.args = ": ".join([record.getMessage(), *str(error).splitlines()[:1]]), ()
            record.exc_info = record.exc_text = None
        return True


def failed(request: HttpRequest) -> HttpResponse:
    """503 if the database or the disk is full or away, so that browsers and programs try again; 500 for what is our
    fault. The desk gets JSON."""
    if not is_passing(sys.exc_info()[1]):
        return server_error(request)
    headers = {"Retry-After": str(PAUSE)}
    if request.get_preferred_type(["text/html", "application/json"]) == "text/html":
        return HttpResponse(render_to_string("503.html"), status=503, headers=headers)
    detail = _("The server can save nothing at the moment. Try again later.")
    return JsonResponse({"detail": detail}, status=503, headers=headers)


logger = logging.getLogger("assess.requests")
REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
PROXYS_ID = re.compile(r"[\w.:/+=-]{1,128}", re.ASCII)


class JsonLines(logging.Formatter):
    """A record as one line of JSON. ``fields`` of the record are its own (``extra={"fields": …}``)."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"at": at, "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        line |= {"request": REQUEST_ID.get()} if REQUEST_ID.get() else {}
        line |= record.__dict__.get("fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class OnlyOurFaults(logging.Filter):
    """For mails: if the database or the disk is away, each request would send one."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.exc_info and is_passing(record.exc_info[1]))


class QueryCounter:
    """Counts the statements that a connection runs."""

    count = 0

    def __call__(self, execute: Callable[..., Any], *args: Any) -> Any:
        self.count += 1
        return execute(*args)


def known_user(request: HttpRequest) -> str:
    """Who has asked, as far as that is known by now: the database is not asked for it."""
    user = getattr(request, "user", None)
    if isinstance(user, SimpleLazyObject):
        user = getattr(request, "_cached_user", None)
    return user.get_username() if user else ""


def log_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Logs each request when it is answered. Its id is that of the proxy (``X-Request-ID``), or a new one, and goes
    into the answer and all lines that it logs. Comes first, to see what all others answer."""

    def middleware(request: HttpRequest) -> HttpResponse:
        sent = request.headers.get("X-Request-ID", "")
        name = sent if PROXYS_ID.fullmatch(sent) else uuid4().hex
        queries, began, token = QueryCounter(), time.perf_counter(), REQUEST_ID.set(name)
        try:
            with connection.execute_wrapper(queries):
                response = get_response(request)
            response["X-Request-ID"] = name
            fields = {
                "user": known_user(request),
                "method": request.method,
                "path": request.path,
                "status": response.status_code,
                "ms": round(1000 * (time.perf_counter() - began), 1),
                "queries": queries.count,
            }
            logger.info("%s %s %s", request.method, request.path, response.status_code, extra={"fields": fields})
            return response
        finally:
            REQUEST_ID.reset(token)

    return middleware
