"""All runs against one of them, and two runs topic by topic."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from assess.models import Campaign, Evaluation, Run
from assess.services.common.access import ORGANIZER
from assess.services.scores import results
from assess.services.scores import significance as service
from assess.web.common.doors import campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.measure_names import asked, key_of, measure_links, on_screen
from assess.web.common.responses import number_in
from assess.web.scores.results import evaluations_of

SIGNIFICANT = 0.05
INTERVAL = ("low", "high")
DIFFERENCE = ("difference", "difference low", "difference high")
TESTED = ("t", "p", "Bonferroni", "Holm")


def opened(request: HttpRequest, campaign: Campaign, pk: int) -> tuple[Evaluation, str, dict[str, Any]]:
    """The evaluation, the measure that ``?measure=`` names, and what all pages need."""
    evaluation = get_object_or_404(evaluations_of(campaign), pk=pk)
    names = results.of_topics(results.measured(evaluation))
    measure = asked(request.GET, names)
    context = {
        "campaign": campaign,
        "section": "results",
        "evaluation": evaluation,
        "measures": measure_links(names, measure),
        "measure": on_screen(measure),
        "measure_key": key_of(measure),
    }
    return evaluation, measure, context


@require_safe
@campaign_view(ORGANIZER)
def evaluation_significance(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """All runs against the one that ``?against=`` names."""
    evaluation, measure, context = opened(request, campaign, pk)
    against = service.significance(evaluation, measure, number_in(request.GET, "against"))
    pairs = urlencode({"measure": context["measure_key"], "second": against.reference.pk if against.reference else ""})
    context |= {
        "shown": against,
        "significant": SIGNIFICANT,
        "runs": sorted((row.run for row in against.rows), key=lambda run: (run.team, run.name)),
        "pair_address": f"{reverse('evaluation_pair', args=[campaign.slug, pk])}?{pairs}",
        "chart": list(intervals(against)),
    }
    return render(request, "scores/evaluation_significance.html", context)


def intervals(against: service.Against) -> Iterator[dict[str, Any]]:
    for row in against.rows:
        is_apart = row.holm is not None and row.holm < SIGNIFICANT  # corrected for all runs tested
        kind = "reference" if row.run == against.reference else "apart" if is_apart else "other"
        yield {"run": row.run.name, "kind": kind, "mean": row.mean.mean, "low": row.mean.low, "high": row.mean.high}


@require_safe
@campaign_view(ORGANIZER)
def evaluation_significance_file(request: HttpRequest, campaign: Campaign, pk: int, file_format: str) -> HttpResponse:
    evaluation, measure, _ = opened(request, campaign, pk)
    against = service.significance(evaluation, measure, number_in(request.GET, "against"))
    about = f"{evaluation.qrels.pool.campaign}: {measure} with 95 % intervals, and differences from {against.reference}"
    table = FileTable(
        ("run", "team", "topics", measure, *INTERVAL, *DIFFERENCE, *TESTED),
        [(*numbers(row), *(row.test.p if row.test else None, row.bonferroni, row.holm)) for row in against.rows],
        f"{about} (paired t-test).",
        latex_header=("Run", "Team", "Topics", measure, *INTERVAL, "Diff.", *INTERVAL, *TESTED),
        latex_rows=[
            (*numbers(row), *(paper_p(p) for p in (row.test and row.test.p, row.bonferroni, row.holm)))
            for row in against.rows
        ],
    )
    return as_attachment([table], f"{campaign.slug}.results-{pk}.significance", file_format)


def numbers(row: service.Tested) -> tuple[object, ...]:
    """Up to the statistic of the test."""
    difference = row.difference[1:4] if row.difference else (None, None, None)
    own = (row.run.name, row.run.team, row.mean.n, *row.mean[1:4])
    return (*own, *difference, row.test.statistic if row.test else None)


def paper_p(p: float | None) -> float | str | None:
    """A p with three decimals that is never 0."""
    return "< 0.001" if p is not None and p < 0.001 else p


@require_safe
@campaign_view(ORGANIZER)
def evaluation_pair(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """The runs that ``?first=`` and ``?second=`` name, by default the best one and the reference of the other page."""
    evaluation, measure, context = opened(request, campaign, pk)
    runs, chosen = chosen_runs(request, evaluation, measure)
    tested = service.pair(evaluation, measure, *chosen) if chosen else None
    context |= {"runs": runs, "shown": tested}
    if chosen and tested:
        p = tested.comparison.t.p
        context |= {"first": chosen[0], "second": chosen[1], "is_significant": p is not None and p < SIGNIFICANT}
        context["rows"] = [
            {"topic": topic, "first": first, "second": second, "difference": first - second}
            | {"address": reverse("topic_judgments", args=[campaign.slug, topic])}
            for topic, first, second in tested.topics
        ]
    return render(request, "scores/evaluation_pair.html", context)


def chosen_runs(request: HttpRequest, evaluation: Evaluation, measure: str) -> tuple[list[Run], tuple[Run, Run] | None]:
    """The runs with the measure, and two of them; None if there is only one."""
    ordered = service.runs_with(evaluation, measure)
    keys = {run.pk: run for run in ordered}
    runs = sorted(ordered, key=lambda run: (run.team, run.name))
    if len(ordered) < 2:
        return runs, None
    second = keys.get(number_in(request.GET, "second"))
    first = keys.get(number_in(request.GET, "first")) or next(run for run in ordered if run != second)
    others = [run for run in ordered if run != first]
    return runs, (first, second if second and second != first else service.default_reference(others) or others[0])


@require_safe
@campaign_view(ORGANIZER)
def evaluation_pair_file(request: HttpRequest, campaign: Campaign, pk: int, file_format: str) -> HttpResponse:
    evaluation, measure, _ = opened(request, campaign, pk)
    _, chosen = chosen_runs(request, evaluation, measure)
    if chosen is None:
        raise Http404
    tested = service.pair(evaluation, measure, *chosen)
    header = ("topic", chosen[0].name, chosen[1].name, "difference")
    rows = [(topic, a, b, a - b) for topic, a, b in tested.topics]
    caption = f"{evaluation.qrels.pool.campaign}: {measure} of {chosen[0]} and {chosen[1]} by topic."
    return as_attachment([FileTable(header, rows, caption)], f"{campaign.slug}.results-{pk}.two-runs", file_format)


BASE = "c/<slug:slug>/results/<int:pk>"
urlpatterns = [
    path(f"{BASE}/significance/", evaluation_significance, name="evaluation_significance"),
    path(f"{BASE}/two-runs/", evaluation_pair, name="evaluation_pair"),
    path(f"{BASE}/significance.<slug:file_format>", evaluation_significance_file, name="evaluation_significance_file"),
    path(f"{BASE}/two-runs.<slug:file_format>", evaluation_pair_file, name="evaluation_pair_file"),
]
