"""Give everything that an assessor has left to others, in one step with a preview."""

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from assess.models import Action, Campaign
from assess.services.common.access import ORGANIZER
from assess.services.rounds.assignments import assessors_of
from assess.services.rounds.replacement import plan_replacement, replace_assessor
from assess.web.common.doors import campaign_action
from assess.web.common.forms import RowsField, errors_on, render_form
from assess.web.common.responses import number_in, person
from assess.web.rounds.assignments import pool_to_assign


class ReplaceForm(forms.Form):
    successors = RowsField(
        User.objects.none(),
        label="Who takes over",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Tick at least one assessor."},
    )


@campaign_action(ORGANIZER, "assignments", section="members", asks=True)
def replace_member(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse:
    """First shows who would get what; the button below it does that."""
    member = get_object_or_404(campaign.members.select_related("user"), pk=number_in(request.GET, "replace"))
    leaving, pool = member.user, pool_to_assign(campaign)
    form = ReplaceForm(request.POST or None)
    form.fields["successors"].queryset = assessors_of(pool).exclude(pk=leaving.pk)  # type: ignore[attr-defined]
    plan = []
    if form.is_valid():
        successors = form.cleaned_data["successors"]
        with errors_on(form, "successors"):
            if "sure" in request.POST:
                return replace_assessor(pool, leaving, successors, person(request))
            plan = plan_replacement(pool, leaving, successors)
    context = {"leaving": leaving, "form": form, "plan": plan}
    return render_form(request, "rounds/replace.html", context)
