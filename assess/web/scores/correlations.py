"""The measures of an evaluation against each other."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.scores.correlation import Correlation, Correlations
from assess.models import Campaign, Evaluation
from assess.services.common.access import ORGANIZER
from assess.services.scores import correlations as service
from assess.services.scores import results
from assess.web.common.doors import campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.measure_names import key_of, on_screen
from assess.web.scores.significance import BASE, opened

MOST_SHOWN = 8
"""Measures compared unless others are chosen."""
COEFFICIENTS = {"kendall": "Kendall’s tau-b", "pearson": "Pearson’s r", "spearman": "Spearman’s rho"}


@require_safe
@campaign_view(ORGANIZER)
def evaluation_correlations(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """The measures that ``?measures=`` names, by default those of the labs, by the coefficient of ``?by=``."""
    evaluation, _, context = opened(request, campaign, pk)
    names, correlations = asked_correlations(request, evaluation)
    by = request.GET.get("by", "")
    by = by if by in COEFFICIENTS else "kendall"
    context |= {
        "by": by,
        "coefficients": COEFFICIENTS,
        "names": [on_screen(name) for name in names],
        "matrix": matrix(names, correlations, by),
        "systems": sorted({pair.n for pair in correlations}),
        "known": [(key_of(name), on_screen(name), name in names) for name in results.measured(evaluation)],
    }
    return render(request, "scores/evaluation_correlations.html", context)


def asked_correlations(request: HttpRequest, evaluation: Evaluation) -> tuple[list[str], list[Correlations]]:
    offered = results.measured(evaluation)
    wanted = request.GET.getlist("measures")
    names = [name for name in offered if key_of(name) in wanted] or offered[:MOST_SHOWN]
    return names, service.correlations(evaluation, names)


def matrix(
    names: Sequence[str], correlations: Sequence[Correlations], by: str
) -> list[tuple[str, list[tuple[Correlation | None, int]]]]:
    """A row for each measure, with the coefficients and the numbers of runs; None on the diagonal."""
    pairs = {(pair.first, pair.second): (getattr(pair, by), pair.n) for pair in correlations}
    pairs |= {(second, first): value for (first, second), value in pairs.items()}
    return [(on_screen(row), [pairs.get((row, column), (None, 0)) for column in names]) for row in names]


@require_safe
@campaign_view(ORGANIZER)
def evaluation_correlations_file(request: HttpRequest, campaign: Campaign, pk: int, file_format: str) -> HttpResponse:
    evaluation, _, _ = opened(request, campaign, pk)
    _, correlations = asked_correlations(request, evaluation)
    header = ("first", "second", "runs", "Kendall tau-b", "Pearson r", "Spearman rho")
    rows = [
        (pair.first, pair.second, pair.n, pair.kendall.value, pair.pearson.value, pair.spearman.value)
        for pair in correlations
    ]
    caption = f"{evaluation.qrels.pool.campaign}: correlations between measures over the runs."
    return as_attachment([FileTable(header, rows, caption)], f"{campaign.slug}.results-{pk}.correlations", file_format)


urlpatterns = [
    path(f"{BASE}/measures/", evaluation_correlations, name="evaluation_correlations"),
    path(f"{BASE}/measures.<slug:file_format>", evaluation_correlations_file, name="evaluation_correlations_file"),
]
