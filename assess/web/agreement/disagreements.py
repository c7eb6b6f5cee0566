"""Where two assessors graded a document differently, for organizers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from assess.ir.common.rows import GRADES, LONGEST_ID
from assess.ir.scores.measures import NDCG
from assess.models import AgreementReport, Assignment, Campaign, Judgment, JudgmentEvent, Pool
from assess.services.agreement import disagreements
from assess.services.agreement.agreement import changes_since
from assess.services.agreement.disagreements import Chosen, Disagreement
from assess.services.common.access import ORGANIZER
from assess.services.rounds import adjudication
from assess.web.common.doors import campaign_view
from assess.web.common.forms import render_form
from assess.web.common.measure_names import on_screen
from assess.web.desk.assignment_list import Badge
from assess.web.desk.labels import labels, style

PAGE_SIZE = 20
DISTANCES = [("1", "Different"), ("2", "2 or 3 apart"), ("3", "3 apart"), ("0", "All, equal ones too")]
UNITS = [("instance", "Instances"), ("visual", "Visually distinct formulas")]
STATES = [("", "All"), ("open", "Open"), ("expert", "With an expert"), ("settled", "Settled")]
ORDERS = [("distance", "Distance"), ("influence", "Influence"), ("topic", "Topic"), ("pair", "Pair")]


class FilterForm(forms.Form):
    """Which documents to list, and their order. Visually distinct formulas are compared for two assessors only."""

    topic = forms.ChoiceField(required=False)
    first = forms.ChoiceField(required=False, label="Assessor")
    grade = forms.TypedChoiceField(required=False, coerce=int, empty_value=None)
    second = forms.ChoiceField(required=False, label="Other assessor")
    other_grade = forms.TypedChoiceField(required=False, coerce=int, empty_value=None, label="Other grade")
    distance = forms.ChoiceField(choices=DISTANCES, required=False, label="Show grades")
    unit = forms.ChoiceField(choices=UNITS, required=False, label="Grades of")
    document = forms.CharField(required=False, max_length=LONGEST_ID, widget=forms.TextInput({"size": 12}))
    state = forms.ChoiceField(choices=STATES, required=False)
    order = forms.ChoiceField(choices=ORDERS, required=False, label="Sorted by")

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [("", "Anyone"), *of_itself(assessors_of(pool))]
        grades = [("", "any grade"), *((str(grade), str(grade)) for grade in GRADES)]
        topics = [("", "All"), *of_itself(pool.campaign.topics.values_list("topic_id", flat=True))]
        choices = {"topic": topics, "first": names, "second": names, "grade": grades, "other_grade": grades}
        for name, values in choices.items():
            self.fields[name].choices = values  # type: ignore[attr-defined]
        if not pool.campaign.is_formulas:
            del self.fields["unit"]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("unit") == "visual" and not (values.get("first") and values.get("second")):
            self.add_error("unit", "Choose two assessors to compare visually distinct formulas.")
        return values

    def chosen(self) -> Chosen:
        fields = {name: self.cleaned_data[name] for name in Chosen._fields if name in self.cleaned_data}
        return Chosen(**fields | {"distance": int(fields["distance"] or 1)})


def of_itself(values: Iterable[str]) -> list[tuple[str, str]]:
    """Choices that are their own labels."""
    return [(value, value) for value in values]


def assessors_of(pool: Pool) -> Iterable[str]:
    people = Assignment.objects.filter(round__pool=pool).order_by("assessor__username")
    return people.values_list("assessor__username", flat=True).distinct()


def is_shared(pool: Pool) -> bool:
    """Whether a topic has two assessors."""
    topics = Assignment.objects.filter(round__pool=pool).order_by().values("topic")
    return topics.annotate(assessors=Count("assessor", distinct=True)).filter(assessors__gt=1).exists()


class Column(NamedTuple):
    """What one assessor decided; ``changes``: every decision, the last one included."""

    name: str
    round: str
    badge: Badge
    changed: datetime
    changes: list[tuple[JudgmentEvent, Badge | None]]


class DisagreementRow(NamedTuple):
    """A disagreement as it is shown; what settling it the other way would change, if that is known; the expert who was
    given it, and the grade with which that expert settled it, with the reason."""

    of: Disagreement
    columns: list[Column]
    preview: str
    influence: dict[str, Any] | None
    expert: str
    settled: Badge | None


@require_safe
@campaign_view(ORGANIZER)
def disagreement_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Documents with two grades, side by side, a page at a time."""
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {"campaign": campaign, "section": "agreement", "form": None}
    if pool is not None:
        form = FilterForm(request.GET.dict() or {"distance": "1"}, pool=pool)
        context |= {"form": form, "is_shared": is_shared(pool)}
        if form.is_valid():
            order = form.cleaned_data["order"] or "distance"
            context |= page_of(campaign, pool, form.chosen(), order, request.GET.get("page"))
    return render_form(request, "agreement/disagreements.html", context)


def page_of(campaign: Campaign, pool: Pool, chosen: Chosen, order: str, number: str | None) -> dict[str, Any]:
    report = AgreementReport.objects.filter(pool=pool).only("created", "influence").first()
    influence = report.influence.get("documents", {}) if report else {}
    rows = disagreements.compared(pool, chosen, order)
    if influence and order in ("distance", "influence"):
        pairs = disagreements.by_influence(pool, rows, influence, within_distance=order == "distance")
    else:
        pairs = disagreements.pairs_of(rows)
    page: Page[Any] = Paginator(pairs, PAGE_SIZE).get_page(number)
    names = labels(pool.rules.task)
    settled, experts = adjudication.settled_judgments(pool), adjudication.given(pool)
    shown = [
        as_row(each, campaign, names, influence, experts.get(each.instance_id, ""), settled.get(each.instance_id))
        for each in disagreements.listed(list(page))
    ]
    is_any_open = any(not (row.settled or row.expert) for row in shown)
    context = {"page": page, "rows": shown, "report": report, "has_influence": bool(influence)}
    context["is_any_open"] = is_any_open
    return context | {"changes": changes_since(report) if report else 0}


def as_row(
    disagreement: Disagreement,
    campaign: Campaign,
    names: dict[str, str],
    influence: dict[str, Any],
    expert: str,
    settled: Judgment | None,
) -> DisagreementRow:
    preview = reverse("preview", args=[campaign.slug, *disagreement.preview]) if disagreement.preview else ""
    columns = [column(side, names) for side in disagreement.sides]
    if settled:
        expert = settled.assignment.assessor.get_username()
    effect = disagreements.influence_of(disagreement, influence)
    effect = effect and effect | {"measure": on_screen(effect.get("measure") or NDCG)}
    last = badge(settled.decision, settled.comment, names) if settled else None
    return DisagreementRow(disagreement, columns, preview, effect, expert, last)


def column(side: disagreements.Side, names: dict[str, str]) -> Column:
    judgment = side.judgment
    changes = [(event, badge(event.decision, event.comment, names)) for event in side.events]
    shown = badge(judgment.decision, judgment.comment, names)
    assert shown is not None
    return Column(side.name, judgment.assignment.round.get_kind_display(), shown, judgment.changed, changes)


def badge(decision: str, comment: str, names: dict[str, str]) -> Badge | None:
    """None for a judgment that was taken back."""
    return Badge(names[decision], style(decision), comment) if decision else None


urlpatterns = [path("c/<slug:slug>/disagreements/", disagreement_list, name="disagreements")]
