"""Agreement of assessors, and where two of them graded a document differently."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy

from assess.models import AgreementReport, Assignment, Campaign, Member, Pool, Round
from assess.services import job_kinds
from assess.services.agreement import disagreements
from assess.services.agreement.agreement import NOTHING_COMMON, changes_since, figures_of, topics_judged_twice
from assess.services.agreement.disagreements import Chosen
from assess.services.common.access import ORGANIZER, STAFF
from assess.services.pool import freezing, judgment_sources
from assess.services.rounds import adjudication
from assess.web.common.doors import campaign_action, campaign_page
from assess.web.common.jobs import start_job
from assess.web.common.responses import as_number, asked_row, render_form, unfinished

ROUNDS = dict(Round.Kind.choices) | {Round.Kind.DUAL: gettext_lazy("Main and dual")}
UNITS = [("instance", "Instances"), ("visual", "Visually distinct formulas")]
DIGITS = 4
"""Of a kappa in tables; the page of a pair has six."""


@campaign_page(STAFF)
def agreement(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The latest report or that of ``?report=``; or the pair of it that ``?first=`` and ``?second=`` name."""
    reports = AgreementReport.objects.filter(pool__campaign=campaign).select_related("pool")
    report = asked_row(request, "report", reports) or reports.first()
    if report and "first" in request.GET:
        return agreement_pair(request, campaign, report)
    unit = request.GET.get("unit", "instance")
    is_organizer = campaign.role == Member.Role.ORGANIZER
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {
        "report": report,
        "reports": list(reports.defer("pairs", "assessors", "topics", "means", "visual", "influence")),
        "pool": pool,
        "is_judged": pool is not None and freezing.is_judged(pool),
        "running": unfinished(campaign, job_kinds.compute_agreement),
        "twice": topics_judged_twice(pool) if pool and not report else 0,
        "nothing_common": NOTHING_COMMON,
        "sources": judgment_sources.usable_sources(campaign) if is_organizer else [],
        "unit": unit,
        "digits": DIGITS,
    }
    if report:
        figures = figures_of(report, unit)
        rounds = [row | {"name": ROUNDS.get(row["name"], row["name"])} for row in figures["means"]["by_round"]]
        context |= {
            "units": [(name, label, figures_of(report, name)["means"]) for name, label in units_of(report)],
            "shown": figures,
            "rounds": rounds,
            "changes": changes_since(report),
            "charts": chart_data(campaign, report, figures, rounds),
            "grades": sorted(report.pool.rules.values),
            "compared": [pair for pair in figures["pairs"] if pair["n"]],
            "opinions": list(report.second_opinions.select_related("source__campaign")) if is_organizer else [],
            "rules": report.pool.rules,
        }
    return render(request, "agreement/agreement.html", context)


def units_of(report: AgreementReport) -> list[tuple[str, str]]:
    """What the grades of a report belong to, with labels."""
    return UNITS if report.visual else [("instance", "Answers")]


def chart_data(
    campaign: Campaign, report: AgreementReport, figures: dict[str, Any], rounds: list[dict[str, Any]]
) -> dict[str, Any]:
    """For the charts of a report. From a pair organizers get to its documents, experts to its numbers."""
    pairs = []
    for pair in (pair for pair in figures["pairs"] if pair["n"]):
        names = {"first": pair["first"], "second": pair["second"]}
        address = f"{documents_address(campaign, **names)}&distance=0"
        if campaign.role != Member.Role.ORGANIZER:
            address = reverse("agreement", args=[campaign.slug], query={"report": report.pk, **names})
        kappas = {name: pair[name]["value"] for name in ("kappa", "kappa_hm")}
        pairs.append({**names, "address": address, **kappas})
    panels = rounds or [{"name": "", "assessors": figures["assessors"]}]
    return {
        "kinds": [report.pool.rules.ways_label, report.pool.rules.relevant_label],
        "panels": [{"name": row["name"], "bars": bars(row["assessors"], "assessor")} for row in panels],
        "pairs": pairs,
        "trends": [bars(rows, "name") for rows in (rounds, figures["means"]["by_week"])],
    }


def bars(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [{"assessor": row[name], "kappa": row["kappa"], "kappa_hm": row["kappa_hm"]} for row in rows]


def documents_address(campaign: Campaign, first: str, second: str) -> str:
    """The list of documents that both graded, to which grades can be added."""
    return reverse("disagreements", args=[campaign.slug], query={"first": first, "second": second})


def agreement_pair(request: HttpRequest, campaign: Campaign, report: AgreementReport) -> HttpResponse:
    """Two assessors: their grades against each other, by every unit, and their topics."""
    first, second = request.GET["first"], request.GET.get("second", "")
    address = documents_address(campaign, first, second) if campaign.role == Member.Role.ORGANIZER else ""
    units, grades = [], sorted(report.pool.rules.values)
    for unit, label in units_of(report):
        figures = figures_of(report, unit)
        pair = next(iter(rows_of_pair(figures["pairs"], first, second)), None)
        cells = confusion_cells(pair["confusion"], grades, address if unit == "instance" else "") if pair else []
        units.append((label, pair, rows_of_pair(figures["topics"], first, second), cells))
    if not any(pair for _, pair, *_ in units):
        raise Http404
    context = {"report": report, "first": first, "second": second, "units": units, "grades": grades, "digits": DIGITS}
    more = {"rules": report.pool.rules, "changes": changes_since(report)}
    return render(request, "agreement/agreement_pair.html", context | more)


def rows_of_pair(rows: list[dict[str, Any]], first: str, second: str) -> list[dict[str, Any]]:
    return [row for row in rows if (row["first"], row["second"]) == (first, second)]


def confusion_cells(confusion: list[list[int]], grades: list[int], address: str) -> list[list[dict[str, Any]]]:
    """Each cell with its grades and the address of the documents behind it, if there is one."""

    def cell(row: int, column: int, count: int) -> dict[str, Any]:
        query = f"{address}&grade={row}&other_grade={column}&distance=0" if count and address else ""
        return {"row": row, "column": column, "count": count, "address": query}

    rows = zip(grades, confusion, strict=True)
    return [[cell(row, *each) for each in zip(grades, counts, strict=True)] for row, counts in rows]


@campaign_action(ORGANIZER, "agreement")
def agreement_start(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pool = freezing.require_frozen(campaign)
    wanted = [int(pk) for pk in request.POST.getlist("sources") if as_number(pk)]
    sources = list(campaign.judgment_sources.filter(pk__in=wanted).values_list("pk", flat=True))
    return start_job(request, campaign, job_kinds.compute_agreement, pool=pool.pk, sources=sources)


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
    judged = adjudication.settling(pool).select_related("assignment__assessor")
    settled, experts = {each.instance_id: each for each in judged}, adjudication.documents_given(pool)
    rows = [
        {"of": each, "settled": settled.get(each.instance.pk), "expert": experts.get(each.instance.pk)}
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
