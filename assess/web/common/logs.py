"""What the log says of requests, and how: with ``LOG_FORMAT=json`` each line is one JSON object."""

import json
import logging
import re
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from assess.web.common.failures import is_passing

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
