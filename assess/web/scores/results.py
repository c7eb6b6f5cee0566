"""Results: starting evaluations, and their tables."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.models import Campaign, Evaluation, Qrels
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.scores.results import ResultsTable, main_set, means_file, measures_with_means, results_tables
from assess.services.scores.topic_sets import WHOLE, TopicSet, offered_sets
from assess.web.common.doors import campaign_view
from assess.web.common.files import as_attachment
from assess.web.common.forms import render_form
from assess.web.common.jobs import start_job
from assess.web.common.measure_names import key_of, on_screen
from assess.web.common.responses import attachment, unfinished
from assess.web.scores.evaluate_form import EvaluateForm
from assess.web.scores.evaluations import BASE, evaluation_view, evaluations_of
from assess.web.scores.results_table import file_table, for_template


class ColumnsForm(forms.Form):
    """What stands side by side in the tables: sets of topics, and measures. What an address names otherwise is
    ignored."""

    sets = forms.MultipleChoiceField(label="Topics", widget=forms.CheckboxSelectMultiple)
    measures = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    def __init__(self, sent: QueryDict, topic_sets: list[TopicSet], names: list[str]) -> None:
        super().__init__()
        wanted = sent.getlist("sets") or [WHOLE]
        self.chosen_sets = [topic_set for topic_set in topic_sets if topic_set.key in wanted] or topic_sets[-1:]
        self.chosen_measures = [name for name in names if key_of(name) in sent.getlist("measures")] or names
        self.fields["sets"].choices = [(topic_set.key, topic_set.name) for topic_set in topic_sets]  # type: ignore[attr-defined]
        self.fields["measures"].choices = [(key_of(name), on_screen(name)) for name in names]  # type: ignore[attr-defined]
        self.initial = {
            "sets": [topic_set.key for topic_set in self.chosen_sets],
            "measures": [key_of(name) for name in self.chosen_measures],
        }


def latest_of(campaign: Campaign) -> Evaluation | None:
    """The latest evaluation with the newest release that has one: an older release may be scored later, to compare."""
    return evaluations_of(campaign).order_by("-qrels_id", "-pk").first()


@require_safe
@campaign_view(ORGANIZER)
def results(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The latest results, the form to evaluate again, and all evaluations. For organizers only: people who judge must
    not see runs."""
    latest = latest_of(campaign)
    return show_results(request, campaign, EvaluateForm(campaign=campaign, last=latest), latest)


def show_results(
    request: HttpRequest, campaign: Campaign, form: EvaluateForm, latest: Evaluation | None
) -> HttpResponse:
    context = {
        "campaign": campaign,
        **(shown_tables(request, latest) if latest else {}),
        "evaluations": evaluations_of(campaign).defer("means"),
        "form": form,
        "can_start": Qrels.objects.of(campaign).exists(),
        "runs": campaign.runs.count(),
        "running": unfinished(campaign, job_kinds.evaluate_runs),
    }
    return render_form(request, "scores/results.html", context)


@require_POST
@campaign_view(ORGANIZER)
def evaluation_start(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = EvaluateForm(request.POST, request.FILES, campaign=campaign)
    if not form.is_valid():
        return show_results(request, campaign, form, latest_of(campaign))
    return start_job(request, campaign, job_kinds.evaluate_runs, **form.params())


@evaluation_view
def evaluation_page(request: HttpRequest, evaluation: Evaluation) -> HttpResponse:
    """The results by team, or sorted by a column; over the sets of topics and with the measures that ``?sets=`` and
    ``?measures=`` name."""
    context = {"campaign": evaluation.campaign, "section": "results", **shown_tables(request, evaluation)}
    return render(request, "scores/evaluation.html", context)


def shown_tables(request: HttpRequest, evaluation: Evaluation) -> dict[str, Any]:
    """The tables of an evaluation for the template, and the form for their columns."""
    form, tables = asked_tables(request, evaluation)
    shown = [for_template(evaluation, table) for table in tables]
    return {"evaluation": evaluation, "tables": shown, "columns": form}


def asked_tables(request: HttpRequest, evaluation: Evaluation) -> tuple[ColumnsForm, Iterable[ResultsTable]]:
    """The tables with the columns and in the order that the address names: ``?sort=ndcg``, or ``?sort=ndcg-12`` for the
    column of another set than the main one."""
    names = measures_with_means(evaluation)
    form = ColumnsForm(request.GET, offered_sets(evaluation, request.user), names)
    key, _, topic_set = request.GET.get("sort", "").partition("-")
    measure = next((name for name in names if key_of(name) == key), "")
    order = (topic_set or main_set(evaluation, form.chosen_sets).key, measure)
    return form, results_tables(evaluation, form.chosen_sets, form.chosen_measures, order).values()


@evaluation_view
def evaluation_file(request: HttpRequest, evaluation: Evaluation, file_format: str) -> HttpResponse:
    """The tables as they are shown, as CSV or LaTeX; or all means, a line for each, as TSV."""
    name = f"{evaluation.campaign.slug}.release-{evaluation.qrels.version}.results-{evaluation.pk}"
    if file_format == "tsv":
        return attachment(means_file(evaluation), f"{name}.tsv")
    _, tables = asked_tables(request, evaluation)
    return as_attachment([file_table(evaluation, table) for table in tables], name, file_format)


urlpatterns = [
    path("c/<slug:slug>/results/", results, name="results"),
    path("c/<slug:slug>/results/new/", evaluation_start, name="evaluation_start"),
    path(f"{BASE}/", evaluation_page, name="evaluation"),
    path(f"{BASE}/table.<slug:file_format>", evaluation_file, name="evaluation_file"),
]
