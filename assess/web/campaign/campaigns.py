"""Creating and editing campaigns."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path

from assess.models import Campaign
from assess.services.campaign import campaigns
from assess.services.common.access import campaign_for
from assess.services.pool import pools
from assess.web.campaign.forms import CampaignForm, NewCampaignForm
from assess.web.common.forms import errors_on, render_form


def campaign_new(request: HttpRequest) -> HttpResponse:
    """Staff users create campaigns and become their organizers."""
    user = request.user
    if not isinstance(user, User) or not user.is_staff:
        raise PermissionDenied
    form = NewCampaignForm(request.POST or None, user=user)
    if form.is_valid():
        data = form.cleaned_data
        campaign = campaigns.create(name=data["name"], preset=data["preset"], by=user, collection=data["share"])
        return redirect(campaign)
    return render_form(request, "campaign/new.html", {"form": form})


def campaign_edit(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    pool = campaign.frozen_pool()
    form = CampaignForm(request.POST or None, campaign=campaign, frozen=bool(pool))
    if form.is_valid():
        data = form.cleaned_data
        edited = {name: data[name] for name in ("name", "edition", "seed")}
        with errors_on(form):
            campaigns.update(campaign, **edited, rules=form.rules, seen=data["seen"] or None)
            messages.success(request, "Saved.")
            warn_of_depths(request, campaign)
            return redirect(campaign)
        form.data = {**request.POST.dict(), "seen": campaigns.settings_version(campaign)}  # now the organizer knows
    is_judged = pool is not None and pools.is_judged(pool)
    context = {"campaign": campaign, "form": form, "pool": pool, "is_judged": is_judged, "section": "campaign"}
    return render_form(request, "campaign/edit.html", context)


def warn_of_depths(request: HttpRequest, campaign: Campaign) -> None:
    """Pooling alternate runs deeper than primary runs is allowed, but probably a mistake."""
    rules = campaign.rules
    if rules.alternate_depth > rules.primary_depth:
        text = f"Alternate runs are pooled deeper ({rules.alternate_depth}) than primary runs ({rules.primary_depth})."
        messages.warning(request, f"{text} Is that intended?")


urlpatterns = [
    path("campaigns/new/", campaign_new, name="campaign_new"),
    path("c/<slug:slug>/edit/", campaign_edit, name="campaign_edit"),
]
