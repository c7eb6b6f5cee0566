"""What no page can use."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

NUL = "\0"


def clean_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuses NUL in addresses and cookies: databases do not search for it. Forms check their own fields."""

    def middleware(request: HttpRequest) -> HttpResponse:
        queries = [value for values in request.GET.lists() for value in values[1]]
        if any(NUL in text for text in (request.path_info, *request.COOKIES.values(), *queries)):
            raise BadRequest("The address or a cookie holds a NUL character.")
        return get_response(request)

    return middleware
