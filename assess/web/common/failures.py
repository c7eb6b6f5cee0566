"""What a request answers that failed. Failures of the machine, not of the program, pass, and what failed can be tried
again."""

import errno
import logging
import sys

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
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
