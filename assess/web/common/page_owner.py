"""Whose page a request comes from."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase


class PersonRequired(LoginRequiredMiddleware):
    """Only who is signed in gets an answer; and a script, which names the person whose page it runs on, only as long
    as it is that person: in another tab of the same browser somebody else may have signed in meanwhile. It is told who
    that is (``X-Signed-In``, percent-encoded), whatever it asked for, and nothing else."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        answer: HttpResponseBase | None = super().process_view(request, view_func, view_args, view_kwargs)
        whose = request.headers.get("X-Page-Of")
        if answer or not whose or not getattr(view_func, "login_required", True) or whose == str(request.user.pk):
            return answer
        return HttpResponse(status=403, headers={"X-Signed-In": quote(request.user.get_username())})
