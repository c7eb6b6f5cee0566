"""Whose page a request comes from."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase


class PersonRequired(LoginRequiredMiddleware):
    """Answers people who are signed in; and a script, which names the person whose page it runs on, only while that
    person is signed in: somebody else may have signed in in another tab of the same browser. Then the answer only says
    who that is (``X-Signed-In``, percent-encoded)."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        answer: HttpResponseBase | None = super().process_view(request, view_func, view_args, view_kwargs)
        whose = request.headers.get("X-Page-Of")
        if answer or not whose or not getattr(view_func, "login_required", True) or whose == str(request.user.pk):
            return answer
        return HttpResponse(status=403, headers={"X-Signed-In": quote(request.user.get_username())})
