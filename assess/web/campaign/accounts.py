"""Signing in and out, changing the password, and setting the first one with a link from an organizer."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.http import HttpResponse
from django.urls import path, reverse_lazy


class SignIn(AuthenticationForm):
    """The focus is on the name first, after a wrong password on the password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.is_bound:
            del self.fields["username"].widget.attrs["autofocus"]
            self.fields["password"].widget.attrs["autofocus"] = True


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


urlpatterns = [
    path("login/", views.LoginView.as_view(authentication_form=SignIn), name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path("password/", PasswordChange.as_view(), name="password_change"),
    path("password/<uidb64>/<token>/", SetPassword.as_view(), name="set_password"),
]
