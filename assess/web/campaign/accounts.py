"""Signing in and out, changing the password, and setting the first one with a link from an organizer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse_lazy


class SignIn(AuthenticationForm):
    """The focus is on the name first, after a wrong password on the password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.is_bound:
            del self.fields["username"].widget.attrs["autofocus"]
            self.fields["password"].widget.attrs["autofocus"] = True


def locked_out(request: HttpRequest, response: HttpResponse, credentials: dict[str, Any]) -> HttpResponse:
    """What somebody reads after too many wrong passwords (`settings.AXES_FAILURE_LIMIT`)."""
    minutes = settings.AXES_COOLOFF_TIME // timedelta(minutes=1)
    return render(request, "registration/locked_out.html", {"minutes": minutes}, status=429)


class PasswordChange(views.PasswordChangeView):
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        messages.success(self.request, "Your password has been changed.")
        return super().form_valid(form)


class SetPassword(views.PasswordResetConfirmView):
    """The page behind the one-time link that an organizer sends; using it signs the user in."""

    template_name = "registration/set_password.html"
    success_url = reverse_lazy("home")
    post_reset_login = True
    post_reset_login_backend = settings.AUTHENTICATION_BACKENDS[-1]


urlpatterns = [
    path("login/", views.LoginView.as_view(authentication_form=SignIn), name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path("password/", PasswordChange.as_view(), name="password_change"),
    path("password/<uidb64>/<token>/", SetPassword.as_view(), name="set_password"),
]
