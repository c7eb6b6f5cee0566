"""The page with grades, outcomes and guidelines."""

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from assess.models import Campaign
from assess.services.campaign.campaigns import settings_version
from assess.services.common.access import EVERYONE, ORGANIZER
from assess.services.desk import rulings
from assess.web.common.doors import campaign_view
from assess.web.common.forms import errors_on, render_form
from assess.web.common.options import ListField
from assess.web.common.responses import person, tell_done
from assess.web.desk.desk import words_of_judging


class GuidelinesForm(forms.Form):
    seen = forms.CharField(widget=forms.HiddenInput)
    guidelines = ListField(rows=6, help_text="One per line.")
    note = forms.CharField(
        label="What has changed",
        max_length=rulings.MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="People are judging: they see this note as a ruling about all topics.",
    )

    def __init__(self, sent: QueryDict | None, campaign: Campaign) -> None:
        initial = {"seen": settings_version(campaign), "guidelines": campaign.rules.guidelines}
        super().__init__(sent, initial=initial)
        if not rulings.is_note_needed(campaign):
            del self.fields["note"]


@campaign_view(EVERYONE, ORGANIZER)
def guidelines(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Grades, outcomes and guidelines of a campaign, for all its members; organizers change the guidelines."""
    is_sent = request.method == "POST"
    form = GuidelinesForm(request.POST if is_sent else None, campaign) if campaign.role in ORGANIZER else None
    if form and form.is_valid():
        data = form.cleaned_data
        with errors_on(form):
            texts, note = data["guidelines"], data.get("note", "")
            done = rulings.change_guidelines(campaign, texts, note, person(request), seen=data["seen"])
        if not form.errors:
            tell_done(request, done)
            return redirect("guidelines", campaign.slug)
    in_force = rulings.rulings_in_force(campaign.rulings.all())
    context = {**words_of_judging(campaign), "rulings": in_force, "form": form}
    return render_form(request, "desk/guidelines.html", context)
