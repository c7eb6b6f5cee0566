"""Results: all runs scored with a release."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.ir.results import definitions
from assess.models import Campaign, Evaluation, Job
from assess.services.common.access import campaign_for
from assess.services.results.results import ResultsTable, as_file, by_topic, left_out, mean_values, tables
from assess.web.common.forms import render_form
from assess.web.common.job_start import start
from assess.web.common.responses import attachment, unfinished
from assess.web.results.evaluate_form import EvaluateForm, on_screen, releases_of

SORTS = {key: measure.name for key, measure in definitions.BY_KEY.items()}
"""Names of the measures in addresses."""
KEYS = {measure: key for key, measure in SORTS.items()}


def evaluations_of(campaign: Campaign) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(qrels__pool__campaign=campaign).select_related("qrels__pool__campaign")


@require_safe
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """The latest results, the form to evaluate again, and all evaluations. For organizers only: people who judge must
    not see runs."""
    campaign = campaign_for(request.user, slug)
    return show_results(request, campaign, EvaluateForm(campaign=campaign))


def show_results(request: HttpRequest, campaign: Campaign, form: EvaluateForm) -> HttpResponse:
    latest = evaluations_of(campaign).first()
    context = {
        "campaign": campaign,
        **(shown_tables(latest, request.GET.get("sort", "")) if latest else {}),
        "evaluations": evaluations_of(campaign).defer("means"),
        "form": form,
        "can_start": releases_of(campaign).exists(),
        "runs": campaign.runs.count(),
        "running": unfinished(campaign, Job.Kind.EVALUATE),
    }
    return render_form(request, "results/results.html", context)


@require_POST
def evaluation_start(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    form = EvaluateForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return show_results(request, campaign, form)
    return start(request, campaign, Job.Kind.EVALUATE, **form.params())


@require_safe
def evaluation_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The results by team, or sorted by ``?sort=``."""
    campaign = campaign_for(request.user, slug)
    evaluation = get_object_or_404(evaluations_of(campaign), pk=pk)
    context = {"campaign": campaign, "section": "results", **shown_tables(evaluation, request.GET.get("sort", ""))}
    return render(request, "results/evaluation.html", context)


def shown_tables(evaluation: Evaluation, sort: str) -> dict[str, Any]:
    """The tables of an evaluation for the template, sorted by a measure or by team."""
    return {
        "evaluation": evaluation,
        "tables": [for_template(table) for table in tables(evaluation, SORTS.get(sort, "")).values()],
        "sort": sort if sort in SORTS else "",
    }


def for_template(table: ResultsTable) -> dict[str, Any]:
    """Heads are (key for the address, measure); a cell is None if the run has no value."""
    return {
        "heads": [(KEYS[name], on_screen(name)) for name in table.measures],
        "rows": [(row, [row.cells.get(name) for name in table.measures]) for row in table.rows],
        "width": len(table.measures) + 4,
        "is_written": table.is_written,
    }


@require_safe
def evaluation_file(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    evaluation = get_object_or_404(evaluations_of(campaign), pk=pk)
    return attachment(as_file(evaluation), f"{campaign.slug}.release-{evaluation.qrels.version}.results-{pk}.tsv")


@require_safe
def evaluation_run(request: HttpRequest, slug: str, pk: int, run_pk: int) -> HttpResponse:
    """The values of a run, topic by topic."""
    campaign = campaign_for(request.user, slug)
    evaluation = get_object_or_404(evaluations_of(campaign), pk=pk)
    run = get_object_or_404(campaign.runs, pk=run_pk)
    names = [name for name in evaluation.measures_of(run) if not definitions.find(name).of_means]
    context = {
        "campaign": campaign,
        "section": "results",
        "evaluation": evaluation,
        "run": run,
        "names": [on_screen(name) for name in names],
        "rows": [(topic, [values.get(name) for name in names]) for topic, values in by_topic(evaluation, run)],
        "left_out": left_out(evaluation, run),
        "topics": campaign.topics.count(),
        "means": [mean_values(evaluation).get(run.pk, {}).get(name, (None, 0))[0] for name in names],
    }
    return render(request, "results/evaluation_run.html", context)


urlpatterns = [
    path("c/<slug:slug>/results/", results, name="results"),
    path("c/<slug:slug>/results/new/", evaluation_start, name="evaluation_start"),
    path("c/<slug:slug>/results/<int:pk>/", evaluation_page, name="evaluation"),
    path("c/<slug:slug>/results/<int:pk>/file/", evaluation_file, name="evaluation_file"),
    path("c/<slug:slug>/results/<int:pk>/runs/<int:run_pk>/", evaluation_run, name="evaluation_run"),
]
