"""The judgments with an outcome, which organizers can send back to their assessors."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from assess.models import Campaign, Judgment
from assess.services.common.access import ORGANIZER
from assess.services.desk import outcomes as service
from assess.services.desk.decisions import MAX_LENGTHS
from assess.web.common.doors import campaign_view
from assess.web.common.responses import as_number, person, refusals

PER_PAGE = 200


class SendBackForm(forms.Form):
    """Judgments, each as its number and its key with a colon between them: the ticked ones, or all that were shown; and
    what was fixed."""

    all = forms.BooleanField(required=False, label="All on this page")
    help_text = "Kept in the history of each judgment."
    reason = forms.CharField(label="What was fixed", max_length=MAX_LENGTHS["comment"], help_text=help_text)

    def clean(self) -> dict[str, Any]:
        """Adds ``keys``, by judgment."""
        sent = self.data.getlist("shown" if self.cleaned_data.get("all") else "judgments")  # type: ignore[attr-defined]
        parts = [text.partition(":") for text in sent]
        keys = {pk: key for pk, key in ((as_number(before), after) for before, _, after in parts) if pk}
        if not keys:
            raise forms.ValidationError("Tick at least one judgment.")
        return self.cleaned_data | {"keys": keys}


@campaign_view(ORGANIZER, section="outcomes")
def outcome_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Lists outcomes, perhaps of one kind only (``?show=``); a POST sends some back."""
    pool = campaign.frozen_pool()
    form = SendBackForm(request.POST or None)
    if pool and form.is_valid():
        with refusals(request) as tell:
            sent = form.cleaned_data
            tell(service.send_back(pool, sent["keys"], person(request), sent["reason"]))
        return redirect(f"{request.path}?outcomes=")
    chosen = service.judgments_with_outcome(pool) if pool else Judgment.objects.none()
    counts = chosen.order_by("outcome").values_list("outcome").annotate(Count("pk"))
    show = request.GET.get("show", "")
    listed = chosen.filter(outcome=show) if show in campaign.rules.names else chosen
    related = ("assignment__assessor", "assignment__topic", "assignment__round", "instance")
    page = Paginator(listed.select_related(*related), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "pool": pool,
        "form": form,
        "show": show,
        "ticked": form.data.getlist("judgments") if form.errors else [],  # type: ignore[attr-defined]
        "counts": list(counts),
        "page": page,
        "rows": [(each, each.assignment.order.index(each.instance.entry_id) + 1) for each in page],
    }
    return render(request, "desk/outcomes.html", context, status=422 if form.errors else 200)
