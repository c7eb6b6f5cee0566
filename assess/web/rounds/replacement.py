"""Give everything that an assessor has left to others, in one step with a preview."""

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path

from assess.models import Campaign
from assess.services.common.access import ORGANIZER
from assess.services.rounds.assignments import assessors_of
from assess.services.rounds.replacement import plan_replacement, replace_assessor
from assess.web.common.doors import campaign_view
from assess.web.common.forms import errors_on, render_form
from assess.web.common.responses import person, tell_done
from assess.web.rounds.assignments import pool_to_assign


class ReplaceForm(forms.Form):
    successors = forms.ModelMultipleChoiceField(
        User.objects.none(),
        label="Who takes over",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Tick at least one assessor."},
    )


@campaign_view(ORGANIZER)
def replace_member(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """First shows who would get what; the button below it does that."""
    leaving = get_object_or_404(campaign.members.select_related("user"), pk=pk).user
    pool = pool_to_assign(campaign)
    form = ReplaceForm(request.POST or None)
    form.fields["successors"].queryset = assessors_of(pool).exclude(pk=leaving.pk)  # type: ignore[attr-defined]
    plan = []
    if form.is_valid():
        successors = form.cleaned_data["successors"]
        with errors_on(form, "successors"):
            if "sure" in request.POST:
                tell_done(request, replace_assessor(pool, leaving, successors, person(request)))
                return redirect("assignments", campaign.slug)
            plan = plan_replacement(pool, leaving, successors)
    context = {"campaign": campaign, "section": "members", "leaving": leaving, "form": form, "plan": plan}
    return render_form(request, "rounds/replace.html", context)


urlpatterns = [path("c/<slug:slug>/members/<int:pk>/replace/", replace_member, name="replace_member")]
