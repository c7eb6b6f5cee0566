"""What no page can use."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from assess.web.common.responses import as_number

NUL = "\0"


def clean_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuses NUL in addresses and cookies, because databases do not search for it (pages and forms check their own
    fields), and files that are too large, before any of them is stored."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if any(NUL in text for text in (request.path_info, *request.COOKIES.values())):
            raise BadRequest("The address or a cookie holds a NUL character.")
        if (as_number(request.META.get("CONTENT_LENGTH") or "0") or 0) > settings.UPLOAD_LIMIT:
            return render(request, "413.html", {"limit": settings.UPLOAD_LIMIT}, status=413)
        return get_response(request)

    return middleware
