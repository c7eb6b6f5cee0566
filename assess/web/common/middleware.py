"""What every request passes on its way in and out, and where it comes from."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.middleware import LoginRequiredMiddleware, RemoteUserMiddleware
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.shortcuts import render

from assess.services.campaign.accounts import find_api_token
from assess.web.common.responses import as_number

GetResponse = Callable[[HttpRequest], HttpResponse]


def clean_requests(get_response: GetResponse) -> GetResponse:
    """Refuses NUL in addresses and cookies, for which databases do not search; forms check their fields."""

    def middleware(request: HttpRequest) -> HttpResponse:
        sent = (request.path_info, unquote(request.META.get("QUERY_STRING", "")), *request.COOKIES.values())
        if any("\0" in text for text in sent):
            raise BadRequest("The address or a cookie holds a NUL character.")
        return get_response(request)

    return middleware


def limit_bodies(get_response: GetResponse) -> GetResponse:
    """Refuses what is too large, before any of it is read: else anybody with a made-up CSRF cookie could fill the disk.
    Stands between the session, which says who may send files as a token does, and the check of CSRF, which reads the
    body."""

    def middleware(request: HttpRequest) -> HttpResponse:
        size = as_number(request.META.get("CONTENT_LENGTH") or "0") or 0
        if size > settings.ANONYMOUS_UPLOAD_LIMIT:
            kind, _, secret = request.headers.get("Authorization", "").partition(" ")
            has_token = kind.lower() == "bearer" and find_api_token(secret.strip()) is not None
            is_known = SESSION_KEY in request.session or has_token
            limit = settings.UPLOAD_LIMIT if is_known else settings.ANONYMOUS_UPLOAD_LIMIT
            if size > limit:
                return render(request, "413.html", {"limit": limit}, status=413)
        return get_response(request)

    return middleware


def file_forms(get_response: GetResponse) -> GetResponse:
    """To a form with files that the pages' script sends, so that a refused form keeps its files: names the page that
    follows instead of leading to it. A script would fetch that page and lose its messages."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.headers.get("X-Form") == "files" and response.status_code in (302, 303):
            named = JsonResponse({"location": response["Location"]})
            named.cookies = response.cookies
            return named
        return response

    return middleware


class ProxySignIn(RemoteUserMiddleware):
    """Signs in whom the proxy names in ``settings.USER_HEADER``; somebody new gets an account without a campaign."""

    header = "HTTP_" + settings.USER_HEADER.upper().replace("-", "_")


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

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseRedirect:
        """Leads to the sign-in, and from there back to the page; after a form to the page that had it, because the
        address of a form may be no page."""
        sender = urlsplit(request.headers.get("Referer", ""))
        if request.method == "POST" and sender.netloc == request.get_host():
            return redirect_to_login(sender._replace(scheme="", netloc="").geturl())
        return super().handle_no_permission(request, view_func)


def client_address(request: HttpRequest) -> str | None:
    """The address of the browser. Behind the proxy that HTTPS needs, it is the last that the proxy has added to
    ``X-Forwarded-For``: the others may be invented. None if it is unknown."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.HTTPS else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR") or None
