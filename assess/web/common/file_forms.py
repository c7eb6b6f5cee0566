"""Forms with files that the pages' script sends, so that a refused form keeps its files."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

REDIRECTS = (302, 303)


def file_forms(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Names the page that follows instead of leading to it: a script would fetch that page and lose its messages."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.headers.get("X-Form") == "files" and response.status_code in REDIRECTS:
            named = JsonResponse({"location": response["Location"]})
            named.cookies = response.cookies
            return named
        return response

    return middleware
