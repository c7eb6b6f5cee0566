"""Creating and editing campaigns."""

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from assess.ir.campaign.presets import write_lab
from assess.models import Action, Campaign, Judgment, Qrels
from assess.services import lifecycle
from assess.services.campaign import campaigns
from assess.services.common import history
from assess.services.common.access import ORGANIZER, creator
from assess.services.pool import freezing
from assess.web.campaign.forms import LabForm, NewCampaignForm
from assess.web.campaign.settings_form import SettingsForm
from assess.web.common.doors import campaign_action, campaign_view
from assess.web.common.forms import NameField
from assess.web.common.responses import attachment, errors_on, person, render_form, tell_done


def campaign_new(request: HttpRequest) -> HttpResponse:
    """Staff users create campaigns and become their organizers."""
    user = creator(request.user)
    form = NewCampaignForm(request.POST or None, request.FILES or None, user=user)
    if form.is_valid():
        data = form.cleaned_data
        campaign = campaigns.create_campaign(
            name=data["name"], preset=data["rules"], edition=data["edition"], by=user, collection=data["share"]
        )
        history.note(user, f"Created with the rules of {form.origin}", campaign, page="campaign")
        if data["file"] and (named := data["file"].begins_with):
            messages.info(
                request, f"{', '.join(named)} of [campaign] in {form.origin} were not read: only the command does."
            )
        return redirect(campaign)
    return render_form(request, "campaign/new.html", {"form": form})


@campaign_view(ORGANIZER)
def campaign_edit(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = SettingsForm(request.POST or None, campaign=campaign, frozen=bool(campaign.frozen_pool()))
    if form.is_valid():
        about = {name: form.cleaned_data[name] for name in ("name", "edition", "seed")}
        seen, changed = form.cleaned_data["seen"] or None, form.changed
        with errors_on(form):
            done = campaigns.change_settings(
                campaign, person(request), rules=form.rules, seen=seen, changed=changed, **about
            )
            tell_done(request, done)
            return redirect(campaign)
        form.data = {**request.POST.dict(), "seen": campaigns.settings_version(campaign)}  # now the organizer knows
    return edit_page(request, campaign, form=form)


@campaign_view(ORGANIZER, section="campaign_edit")
def campaign_lab(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The protocol as a lab's file; what is posted replaces it."""
    if request.method != "POST":
        text = write_lab(replace(campaign.rules, edition=campaign.edition))
        return attachment(text, f"{campaign.slug}.toml", "application/toml; charset=utf-8")
    form = LabForm(request.POST, request.FILES)
    if form.is_valid():
        file = form.cleaned_data["file"]
        with errors_on(form, "file"):
            tell_done(request, campaigns.replace_protocol(campaign, file.rules, file.name, person(request)))
            return redirect("campaign_edit", campaign.slug)
    return edit_page(request, campaign, lab_form=form)


def edit_page(request: HttpRequest, campaign: Campaign, **sent: forms.Form) -> HttpResponse:
    """The settings and what can be done with the whole campaign; ``sent``: the form that was sent, under its name."""
    pool = campaign.frozen_pool()
    context = {
        "pool": pool,
        "is_judged": pool is not None and freezing.is_judged(pool),
        "form": SettingsForm(campaign=campaign, frozen=bool(pool)),
        "lab_form": LabForm(),
        "clone_form": CloneForm(campaign=campaign, auto_id="clone_%s"),
        "delete_form": DeleteForm(campaign=campaign, auto_id="delete_%s"),
        "judgments": Judgment.objects.filter(assignment__topic__campaign=campaign).count(),
        "releases": Qrels.objects.of(campaign).select_related("pool__campaign"),
    }
    status = 422 if any(form.errors for form in sent.values()) else 200
    return render(request, "campaign/edit.html", context | sent, status=status)


class DeleteForm(forms.Form):
    name = forms.CharField(label="Type the name of the campaign")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.campaign.name:
            raise forms.ValidationError(f"Type the campaign's name: {self.campaign.name}")
        return name


class CloneForm(forms.Form):
    name = NameField()
    edition = forms.CharField(max_length=60)
    with_collection = forms.BooleanField(required=False, initial=True, label="Use the same collection")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["edition"].help_text = f"The lab and its year. {campaign} belongs to {campaign.edition}."
        if campaign.collection is None:
            self.fields["with_collection"].widget = forms.HiddenInput()


@campaign_action(ORGANIZER, "campaign_edit", when_archived=True)
def campaign_clone(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """For organizers who may create campaigns. The page of members then proposes the same people."""
    user = creator(request.user)
    form = CloneForm(request.POST, campaign=campaign, auto_id="clone_%s")
    if form.is_valid():
        done = lifecycle.clone_campaign(campaign, by=user, **form.cleaned_data)
        tell_done(request, done)
        return redirect(reverse("members", args=[done.campaign.slug], query={"from": campaign.slug}))
    return edit_page(request, campaign, clone_form=form)


@campaign_action(ORGANIZER, "campaign", when_archived=True)
def campaign_archive(request: HttpRequest, campaign: Campaign) -> Action:
    return lifecycle.archive_campaign(campaign, person(request), request.POST.get("archive") != "no")


@campaign_action(ORGANIZER, "campaign_edit", when_archived=True)
def campaign_delete(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = DeleteForm(request.POST, campaign=campaign, auto_id="delete_%s")
    if form.is_valid():
        with errors_on(form):
            lifecycle.delete_campaign(campaign)
            messages.info(request, f"{campaign} deleted.")
            return redirect("home")
    return edit_page(request, campaign, delete_form=form)
