"""What a request answers that failed."""

import logging
import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.defaults import server_error

from assess.services.common.failures import is_passing

PAUSE = 10
"""Seconds after which it is worth trying again."""


class PassingInOneLine(logging.Filter):
    """While the database or the disk is away, every request fails for the same reason: a line says it, without the
    traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and is_passing(record.exc_info[1]):
            record.msg, record.args = f"{record.getMessage()}: {str(record.exc_info[1]).splitlines()[0]}", ()
            record.exc_info = record.exc_text = None
        return True


def failed(request: HttpRequest) -> HttpResponse:
    """503 if the database or the disk is full or away, so that browsers and programs try again; 500 for what is our
    fault. The desk and the API get JSON."""
    if not is_passing(sys.exc_info()[1]):
        return server_error(request)
    headers = {"Retry-After": str(PAUSE)}
    is_of_api = request.path.startswith("/api/")
    if request.get_preferred_type(["text/html", "application/json"]) == "text/html" and not is_of_api:
        return HttpResponse(render_to_string("503.html"), status=503, headers=headers)
    detail = _("The server can save nothing at the moment. Try again later.")
    return JsonResponse({"detail": detail}, status=503, headers=headers)
