"""The page of one's tokens for programs."""

import logging

from django import forms
from django.contrib import messages
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from assess.models import ApiToken
from assess.services.campaign import tokens
from assess.web.common.forms import NameField, render_form
from assess.web.common.responses import person

logger = logging.getLogger("assess.accounts")


class TokenForm(forms.Form):
    """A token is as good as a password within its scope, so whoever has one enters it."""

    name = NameField(label=_("Name"), help_text=_("The program that will use it."))
    scope = forms.ChoiceField(
        label=_("Scope"),
        choices=ApiToken.Scope.choices,
        help_text=_("It never does more than you may do."),
    )
    days = forms.TypedChoiceField(
        label=_("Days until it expires"),
        coerce=int,
        choices=[(days, days) for days in tokens.DAYS],
        initial=90,
    )
    password = forms.CharField(
        label=_("Your password"), widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

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
        token, secret = tokens.make_api_token(User.objects.get(pk=form.user.pk), **chosen)
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
