"""Signing in and out, and choosing a password: by oneself, or the first one by a link from an organizer."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpResponse
from django.urls import path, reverse_lazy


class PasswordChange(views.PasswordChangeView):
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        messages.success(self.request, "Your password is changed.")
        return super().form_valid(form)


class SetPassword(views.PasswordResetConfirmView):
    """The page behind the one-time link that an organizer passes on; using it signs the person in."""

    template_name = "registration/set_password.html"
    success_url = reverse_lazy("home")
    post_reset_login = True


urlpatterns = [
    path("login/", views.LoginView.as_view(), name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path("password/", PasswordChange.as_view(), name="password_change"),
    path("password/<uidb64>/<token>/", SetPassword.as_view(), name="set_password"),
]
