"""The measures of an evaluation against each other."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from assess.ir.scores.correlation import Correlation, Correlations
from assess.models import Evaluation
from assess.services.scores.results import correlate_measures, measures_with_means
from assess.web.common.files import FileTable
from assess.web.common.measure_names import key_of, on_screen
from assess.web.scores.evaluations import BASE, as_files, evaluation_view, measure_context

MOST_SHOWN = 8
"""Measures compared unless others are chosen."""
COEFFICIENTS = {"kendall": "Kendall’s tau-b", "pearson": "Pearson’s r", "spearman": "Spearman’s rho"}


@evaluation_view
def evaluation_correlations(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    """The measures that ``?measures=`` names, by default those of the labs, by the coefficient of ``?by=``."""
    offered, wanted = measures_with_means(evaluation), request.GET.getlist("measures")
    names = [name for name in offered if key_of(name) in wanted] or offered[:MOST_SHOWN]
    correlations = correlate_measures(evaluation, names)
    if file_format:
        return as_files(evaluation, [file_table(evaluation, correlations)], "correlations", file_format)
    by = request.GET.get("by", "")
    by = by if by in COEFFICIENTS else "kendall"
    _, context = measure_context(request, evaluation)
    context |= {
        "by": by,
        "coefficients": COEFFICIENTS,
        "names": [on_screen(name) for name in names],
        "matrix": matrix(names, correlations, by),
        "systems": sorted({pair.n for pair in correlations}),
        "known": [(key_of(name), on_screen(name), name in names) for name in offered],
    }
    return render(request, "scores/evaluation_correlations.html", context)


def matrix(
    names: Sequence[str], correlations: Sequence[Correlations], by: str
) -> list[tuple[str, list[Correlation | None]]]:
    """A row for each measure, with the coefficients; None on the diagonal."""
    pairs = {(pair.first, pair.second): getattr(pair, by) for pair in correlations}
    pairs |= {(second, first): value for (first, second), value in pairs.items()}
    return [(on_screen(row), [pairs.get((row, column)) for column in names]) for row in names]


def file_table(evaluation: Evaluation, correlations: Sequence[Correlations]) -> FileTable:
    header = ("first", "second", "runs", "Kendall tau-b", "Pearson r", "Spearman rho")
    rows = [
        (pair.first, pair.second, pair.n, pair.kendall.value, pair.pearson.value, pair.spearman.value)
        for pair in correlations
    ]
    return FileTable(header, rows, f"{evaluation.campaign}: correlations between measures over the runs.")


urlpatterns = [
    path(f"{BASE}/measures/", evaluation_correlations, name="evaluation_correlations"),
    path(f"{BASE}/measures.<slug:file_format>", evaluation_correlations, name="evaluation_correlations_file"),
]
