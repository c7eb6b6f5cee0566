"""Where two assessors graded a document differently, for organizers."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse

from assess.models import AgreementReport, Assignment, Campaign, Pool
from assess.services.agreement import disagreements
from assess.services.agreement.agreement import changes_since
from assess.services.agreement.disagreements import Chosen
from assess.services.common.access import ORGANIZER
from assess.services.rounds import adjudication
from assess.web.common.doors import campaign_page
from assess.web.common.forms import render_form

PAGE_SIZE = 20
STATES = [("", "All"), ("open", "Open"), ("expert", "With an expert"), ("settled", "Settled")]
ORDERS = [("distance", "Distance"), ("influence", "Influence")]


def distances(grades: Sequence[int]) -> list[tuple[str, str]]:
    """The choices of how far grades are apart: at least so far, at most from the lowest to the highest."""
    most = max(grades) - min(grades)
    names = {most: f"{most} apart", most - 1: f"{most - 1} or {most} apart"}
    apart = [(str(number), names.get(number, f"{number} or more apart")) for number in range(2, most + 1)]
    return [("1", "Different"), *apart, ("0", "All, equal ones too")]


class FilterForm(forms.Form):
    """Which documents to list, and their order."""

    topic = forms.ChoiceField(required=False)
    first = forms.ChoiceField(required=False, label="Assessor")
    grade = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    second = forms.ChoiceField(required=False, label="Other assessor")
    other_grade = forms.TypedChoiceField(required=False, coerce=int, empty_value=None, label="Other grade")
    distance = forms.ChoiceField(required=False, label="Show grades")
    state = forms.ChoiceField(choices=STATES, required=False)
    order = forms.ChoiceField(choices=ORDERS, required=False, label="Sorted by")

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = Assignment.objects.filter(round__pool=pool).order_by("assessor__username")
        names = people.values_list("assessor__username", flat=True).distinct()
        self.offer("Anyone", names, "first", "second")
        self.offer("any grade", pool.rules.values, "grade", "other_grade")
        self.offer("All", pool.campaign.topics.values_list("topic_id", flat=True), "topic")
        self.fields["distance"].choices = distances(pool.rules.values)  # type: ignore[attr-defined]

    def offer(self, nothing: str, values: Iterable[object], *names: str) -> None:
        """Choices that are their own labels, after one for all."""
        choices = [("", nothing), *((str(value), str(value)) for value in values)]
        for name in names:
            self.fields[name].choices = choices  # type: ignore[attr-defined]

    def chosen(self) -> Chosen:
        fields = {name: self.cleaned_data[name] for name in Chosen._fields if name in self.cleaned_data}
        return Chosen(**fields | {"distance": int(fields["distance"] or 1)})


@campaign_page(ORGANIZER, section="agreement")
def disagreement_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Documents with two grades, side by side, a page at a time."""
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {"form": None}
    if pool is not None:
        form = FilterForm(request.GET.dict() or {"distance": "1"}, pool=pool)
        context["form"] = form
        if form.is_valid():
            order = form.cleaned_data["order"] or "distance"
            context |= page_of(campaign, pool, form.chosen(), order, request.GET.get("page"))
    return render_form(request, "agreement/disagreements.html", context)


def page_of(campaign: Campaign, pool: Pool, chosen: Chosen, order: str, number: str | None) -> dict[str, Any]:
    report = AgreementReport.objects.filter(pool=pool).only("created", "influence").first()
    influence = report.influence.get("documents", {}) if report else {}
    pairs = disagreements.pairs_in_order(pool, chosen, order, influence)
    page: Page[Any] = Paginator(pairs, PAGE_SIZE).get_page(number)
    settled, experts = adjudication.settled_judgments(pool), adjudication.documents_given(pool)
    rows = [
        {
            "of": each,
            "settled": settled.get(each.instance.pk),
            "expert": experts.get(each.instance.pk),
            "influence": disagreements.influence_of(each, influence),
        }
        for each in disagreements.list_disagreements(list(page))
    ]
    return {
        "page": page,
        "rows": rows,
        "is_any_open": any(not (row["settled"] or row["expert"]) for row in rows),
        "report": report,
        "has_influence": bool(influence),
        "changes": changes_since(report) if report else 0,
        "rules": pool.rules,
    }
