"""The judgments with an outcome, which organizers can send back to their assessors."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from assess.ir.common.rows import OUTCOMES
from assess.models import Campaign, Judgment, Pool
from assess.services.common.access import ORGANIZER
from assess.services.desk import outcomes as service
from assess.services.desk.decisions import MAX_LENGTHS
from assess.web.common.doors import campaign_view
from assess.web.common.responses import as_number, person, refusals
from assess.web.desk.labels import label

PER_PAGE = 200


class SendBackForm(forms.Form):
    """Judgments, each as its number and its key with a colon between them: the ticked ones, or all that were shown; and
    what was fixed."""

    all = forms.BooleanField(required=False, label="All on this page")
    reason = forms.CharField(
        label="What was fixed",
        max_length=MAX_LENGTHS["comment"],
        help_text="Kept in the history of each judgment.",
    )

    def clean(self) -> dict[str, Any]:
        """Adds ``keys``, by judgment."""
        sent = self.data.getlist("shown" if self.cleaned_data.get("all") else "judgments")  # type: ignore[attr-defined]
        parts = [text.partition(":") for text in sent]
        keys = {pk: key for pk, key in ((as_number(before), after) for before, _, after in parts) if pk}
        if not keys:
            raise forms.ValidationError("Tick at least one judgment.")
        return self.cleaned_data | {"keys": keys}


@require_http_methods(["GET", "HEAD", "POST"])
@campaign_view(ORGANIZER)
def outcomes(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Lists outcomes, perhaps of one kind only (``?show=``); a POST sends some back."""
    pool = campaign.frozen_pool()
    form = SendBackForm(request.POST or None)
    if pool and form.is_valid():
        with refusals(request) as tell:
            sent = form.cleaned_data
            tell(service.send_back(pool, sent["keys"], person(request), sent["reason"]))
        return redirect("outcomes", campaign.slug)
    return render(
        request,
        "desk/outcomes.html",
        outcomes_context(request, campaign, pool, form),
        status=422 if form.errors else 200,
    )


def outcomes_context(request: HttpRequest, campaign: Campaign, pool: Pool | None, form: SendBackForm) -> dict[str, Any]:
    chosen = service.judgments_with_outcome(pool) if pool else Judgment.objects.none()
    counts = chosen.order_by("outcome").values_list("outcome").annotate(Count("pk"))
    show = request.GET.get("show", "")
    listed = chosen.filter(outcome=show) if show in OUTCOMES else chosen
    page = Paginator(
        listed.select_related("assignment__assessor", "assignment__topic", "assignment__round", "instance"), PER_PAGE
    )
    current = page.get_page(request.GET.get("page"))
    return {
        "campaign": campaign,
        "pool": pool,
        "form": form,
        "show": show,
        "ticked": form.data.getlist("judgments") if form.errors else [],  # type: ignore[attr-defined]
        "counts": [(outcome, label(outcome), count) for outcome, count in counts],
        "page": current,
        "rows": outcome_rows(list(current)),
    }


def outcome_rows(judgments: list[Judgment]) -> list[tuple[Judgment, str, int]]:
    """Each with the name of its outcome, and the place of its item."""
    return [
        (judgment, label(judgment.outcome), judgment.assignment.order.index(judgment.instance.entry_id) + 1)
        for judgment in judgments
    ]


urlpatterns = [path("c/<slug:slug>/outcomes/", outcomes, name="outcomes")]
