"""Signing in and out, one's own account, invitations, and one-time links to choose a password."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, PasswordResetForm
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import path, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from assess.models import Member
from assess.services.campaign import accounts, invitations
from assess.web.common.forms import render_form
from assess.web.common.responses import person


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


class PersonForm(forms.ModelForm):  # type: ignore[type-arg]
    first_name = forms.CharField(max_length=150, required=False, label=_("Name"))
    email = forms.EmailField(required=False, label=_("E-mail"), help_text=_("For invitations and lost passwords."))

    class Meta:
        model = User
        fields = ("first_name", "email")


def account(request: HttpRequest) -> HttpResponse:
    form = PersonForm(request.POST or None, instance=User.objects.get(pk=person(request).pk))
    if form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("account")
    return render_form(request, "registration/account.html", {"form": form})


@require_POST
def invitation_answer(request: HttpRequest, pk: int) -> HttpResponse:
    accepted = request.POST.get("answer") == "accept"
    invitation = invitations.answer_invitation(person(request), pk, accepted=accepted)
    if accepted:
        return redirect(invitation.campaign if invitation.role != Member.Role.ASSESSOR else "home")
    messages.info(request, _("Declined: %(campaign)s.") % {"campaign": invitation.campaign})
    return redirect("home")


class PasswordChange(views.PasswordChangeView):
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        messages.success(self.request, _("Your password has been changed."))
        return super().form_valid(form)


class SetPassword(views.PasswordResetConfirmView):
    """The page behind a one-time link; using it signs the user in."""

    template_name = "registration/set_password.html"
    success_url = reverse_lazy("home")
    token_generator = accounts.TOKENS
    post_reset_login = True
    post_reset_login_backend = settings.AUTHENTICATION_BACKENDS[-1]


class MailedReset(PasswordResetForm):
    """Sends a link of the kind that organizers give; it makes earlier ones void."""

    def get_users(self, email: str) -> Iterator[User]:
        for user in super().get_users(email):
            accounts.new_link(user)
            yield user


@method_decorator(login_not_required, name="dispatch")
class Forgotten(views.PasswordResetView):
    """Sends a one-time link to an e-mail address, and says the same whether it is known or not."""

    template_name = "registration/forgotten.html"
    email_template_name = "registration/forgotten_mail.txt"
    subject_template_name = "registration/forgotten_subject.txt"
    form_class = MailedReset
    token_generator = accounts.TOKENS
    success_url = reverse_lazy("login")

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.EMAIL_HOST:
            raise Http404
        return super().dispatch(*args, **kwargs)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        messages.info(self.request, _("If an account has this address, an e-mail with a link is on its way."))
        return super().form_valid(form)


class Login(views.LoginView):
    authentication_form = SignIn
    extra_context = {"has_mail": bool(settings.EMAIL_HOST)}


urlpatterns = [
    path("login/", Login.as_view(), name="login"),
    path("logout/", views.LogoutView.as_view(), name="logout"),
    path("account/", account, name="account"),
    path("invitations/<int:pk>/", invitation_answer, name="invitation_answer"),
    path("password/", PasswordChange.as_view(), name="password_change"),
    path("password/forgotten/", Forgotten.as_view(), name="forgotten"),
    path("password/<uidb64>/<token>/", SetPassword.as_view(), name="set_password"),
]
