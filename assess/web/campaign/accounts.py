"""Signing in and out, with limits of wrong passwords and a log; one's own account, tokens and invitations; links to
choose a password."""

import logging
from datetime import timedelta
from hashlib import sha256
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt
from axes.signals import user_locked_out
from celery import Task
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.core.cache import cache
from django.db.models import Sum
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from kombu.exceptions import OperationalError

from assess import tasks
from assess.models import Account, ApiToken, Member
from assess.services.campaign import accounts, members
from assess.web.common.forms import NameField
from assess.web.common.middleware import client_address
from assess.web.common.responses import person, render_form

logger = logging.getLogger("assess.accounts")

WEIGHTS = {"username": 5, "ip_address": 10}
"""So many wrong passwords for a name from anywhere, or for any name from an address, count as one for a name from an
address."""


class SignInHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """Limits wrong passwords for a name from an address (`settings.AXES_FAILURE_LIMIT`), and with `WEIGHTS` those for a
    name from many addresses, and for many names from an address."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        failures: int = super().get_failures(request, credentials)
        recent = AccessAttempt.objects.filter(attempt_time__gte=get_cool_off_threshold(request))
        whose = {"username": get_client_username(request, credentials), "ip_address": client_address(request)}
        for field, value in whose.items():
            if value:
                total = recent.filter(**{field: value}).aggregate(total=Sum("failures_since_start"))["total"] or 0
                failures = max(failures, total // WEIGHTS[field])
        return failures


def origin(request: HttpRequest | None) -> str:
    return (client_address(request) if request else None) or "an unknown address"


@receiver(user_logged_in)
def note_sign_in(request: HttpRequest, user: User, **kwargs: Any) -> None:
    browser = request.META.get("HTTP_USER_AGENT", "")[:300]
    request.session[accounts.BEGAN] = {
        "at": timezone.now().isoformat(),
        "address": client_address(request) or "",
        "browser": browser,
    }
    logger.info("%r signed in from %s", user.get_username(), origin(request))


@receiver(user_login_failed)
def note_failed_sign_in(credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any) -> None:
    logger.warning("sign-in failed for %r from %s", credentials.get("username"), origin(request))


@receiver(user_locked_out)
def note_lock_out(request: HttpRequest, username: str, **kwargs: Any) -> None:
    logger.warning("%r is locked out from %s", username, origin(request))


def locked_out(request: HttpRequest, response: HttpResponse, credentials: dict[str, Any]) -> HttpResponse:
    """What somebody reads after too many wrong passwords (`settings.AXES_FAILURE_LIMIT`)."""
    minutes = settings.AXES_COOLOFF_TIME // timedelta(minutes=1)
    context = {"minutes": minutes, "has_mail": bool(settings.EMAIL_HOST)}
    return render(request, "registration/locked_out.html", context, status=429)


def password_field(**about: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": "current-password"})
    return forms.CharField(label=_("Your password"), widget=widget, **about)


class PersonForm(forms.ModelForm):  # type: ignore[type-arg]
    """Another e-mail address needs the password, because a link that is sent there is as good as one."""

    first_name = forms.CharField(max_length=150, required=False, label=_("Name"))
    email = forms.EmailField(required=False, label=_("E-mail"), help_text=_("For invitations and lost passwords."))
    reminders = forms.BooleanField(required=False, label=_("Remind me once a week by e-mail of what waits for me"))
    password = password_field(required=False, help_text=_("Only to change the e-mail address."))

    class Meta:
        model = User
        fields = ("first_name", "email")

    def __init__(self, request: HttpRequest) -> None:
        user = User.objects.select_related("account").get(pk=person(request).pk)
        wanted = user.account.reminders if hasattr(user, "account") else True
        super().__init__(request.POST or None, instance=user, initial={"reminders": wanted})
        self.request = request

    def clean(self) -> None:
        name, password = self.instance.get_username(), self.cleaned_data.get("password")
        if "email" in self.changed_data and not authenticate(self.request, username=name, password=password):
            needed = _("Enter your password to change the e-mail address.")
            self.add_error("password", _("This is not your password.") if password else needed)


def account(request: HttpRequest) -> HttpResponse:
    form, old = PersonForm(request), person(request).email
    if form.is_valid():
        form.save()
        wanted = {"reminders": form.cleaned_data["reminders"]}
        Account.objects.update_or_create(user=form.instance, defaults=wanted)
        if old and "email" in form.changed_data:
            logger.info("%r has changed the e-mail address", form.instance.get_username())
            if settings.EMAIL_HOST:
                send_later(tasks.mail_address_change, form.instance.get_username(), old, form.instance.email)
        messages.success(request, _("Saved."))
        return redirect("account")
    key = request.session.session_key
    sessions = [(each, browser_of(each.browser), each.key == key) for each in accounts.open_sessions(person(request))]
    return render_form(request, "registration/account.html", {"form": form, "sessions": sessions})


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End the session that the form names, or all others."""
    keep = request.session.session_key or ""
    if accounts.end_sessions(person(request), request.POST.get("name", ""), keep):
        logger.info("%r has ended other sessions", person(request).get_username())
    messages.success(request, _("Signed out there."))
    return redirect("account")


BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac", "Linux")


def browser_of(user_agent: str) -> str:
    """Such as "Firefox, Windows". The first match counts: Edge also calls itself Chrome, and Chrome Safari."""
    browsers = [name for sign, name in BROWSERS.items() if sign in user_agent]
    systems = [name for name in SYSTEMS if name in user_agent]
    return ", ".join([*browsers[:1], *systems[:1]]) or user_agent[:40]


class TokenForm(forms.Form):
    """A token is as good as a password within its scope, so whoever has one enters it."""

    name = NameField(label=_("Name"), help_text=_("The program that will use it."))
    scope = forms.ChoiceField(
        label=_("Scope"), choices=ApiToken.Scope.choices, help_text=_("It never does more than you may do.")
    )
    days = forms.TypedChoiceField(
        label=_("Days until it expires"), coerce=int, choices=[(days, days) for days in accounts.TOKEN_DAYS], initial=90
    )
    password = password_field()

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.POST or None)
        self.request, self.user = request, person(request)
        if not self.user.has_usable_password():
            del self.fields["password"]

    def clean_password(self) -> None:
        given = self.cleaned_data["password"]
        if not authenticate(self.request, username=self.user.get_username(), password=given):
            raise forms.ValidationError(_("This is not your password."))


@never_cache
def api_tokens(request: HttpRequest) -> HttpResponse:
    """One's tokens; the answer to the form is the only page that ever shows the secret of the new one."""
    form, secret = TokenForm(request), ""
    if form.is_valid():
        chosen = {name: form.cleaned_data[name] for name in ("name", "scope", "days")}
        token, secret = accounts.make_api_token(User.objects.get(pk=form.user.pk), **chosen)
        logger.info("%r has made the token %r", form.user.get_username(), token.name)
    context = {"form": form, "secret": secret, "tokens": ApiToken.objects.filter(user=form.user)}
    return render_form(request, "registration/tokens.html", context)


@require_POST
def api_token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=pk, user=person(request))
    token.delete()
    logger.info("%r has revoked the token %r", person(request).get_username(), token.name)
    messages.success(request, _("Revoked: %(name)s.") % {"name": token.name})
    return redirect("api_tokens")


def send_later(task: Task[..., None], *args: Any) -> bool:
    """Have a worker send an e-mail. False if the broker is away."""
    try:
        task.delay(*args)
    except OperationalError:
        logger.warning("an e-mail was not sent: the broker is away", exc_info=True)
        return False
    return True


@require_POST
def invitation_answer(request: HttpRequest, pk: int) -> HttpResponse:
    accepted = request.POST.get("answer") == "accept"
    invitation = members.answer_invitation(person(request), pk, accepted=accepted)
    if accepted and invitation.role != Member.Role.ASSESSOR:
        return redirect(invitation.campaign)
    joined = _("You are now an assessor of %(campaign)s. Its topics appear here once they are assigned.")
    text = joined if accepted else _("Declined: %(campaign)s.")
    messages.info(request, text % {"campaign": invitation.campaign})
    return redirect("home")


class PasswordChange(views.PasswordChangeView):
    success_url = reverse_lazy("home")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        logger.info("%r has changed the password", form.user.get_username())
        messages.success(self.request, _("Your password has been changed."))
        return super().form_valid(form)


class SetPassword(views.PasswordResetConfirmView):
    """The page behind a one-time link; using it signs the user in."""

    template_name = "registration/set_password.html"
    success_url = reverse_lazy("home")
    token_generator = accounts.TOKENS
    post_reset_login = True
    post_reset_login_backend = settings.AUTHENTICATION_BACKENDS[-1]

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:  # type: ignore[type-arg]
        logger.info("%r has set a password with a link", form.user.get_username())
        return super().form_valid(form)


AGAIN_SECONDS = 5 * 60
"""So long after a link was sent to an address none is sent there."""
MOST_ASKED = 20
"""So many times an hour somebody at one network address may ask for links."""


@method_decorator(login_not_required, name="dispatch")
class Forgotten(views.PasswordResetView):
    """It says the same, and takes the same time, whether the address is known or not."""

    template_name = "registration/forgotten.html"
    success_url = reverse_lazy("login")

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.EMAIL_HOST:
            raise Http404
        return super().dispatch(*args, **kwargs)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        email, site = form.cleaned_data["email"], self.request.build_absolute_uri("/")[:-1]
        asked = f"forgotten-from-{client_address(self.request)}"
        sent = f"forgotten-{sha256(email.lower().encode()).hexdigest()}"
        cache.add(asked, 0, 3600)
        if cache.incr(asked) > MOST_ASKED:
            form.add_error(None, _("Too many links were asked for from here. Try again in an hour."))
        elif cache.add(sent, True, AGAIN_SECONDS) and not send_later(tasks.mail_links, email, site):
            form.add_error(None, _("No e-mail can be sent at the moment. Try again later."))
        if form.errors:
            return self.form_invalid(form)
        messages.info(self.request, _("If an account has this address, an e-mail with a link is on its way."))
        return redirect(self.success_url)


class Login(views.LoginView):
    extra_context = {
        "has_mail": bool(settings.EMAIL_HOST),
        "has_accounts": User.objects.exists,
        "lab": settings.SIGNING_NAME if settings.SIGNING_NAME != "Assess" else "",
    }
