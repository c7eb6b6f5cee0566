"""What no page can use."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

NUL = "\0"


def clean_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuses NUL in addresses and cookies: databases do not search for it. Pages and forms check their own fields."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if any(NUL in text for text in (request.path_info, *request.COOKIES.values())):
            raise BadRequest("The address or a cookie holds a NUL character.")
        return get_response(request)

    return middleware
