"""Where a request comes from."""

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The address of the browser. Behind the proxy that HTTPS needs, it is the last that the proxy has added to
    ``X-Forwarded-For``: the others may be invented. None if it is unknown."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.HTTPS else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR") or None
