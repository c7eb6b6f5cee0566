"""All runs by category of the topics."""

from collections.abc import Iterator
from itertools import chain

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.http import urlencode

from assess.ir.formats.latex import Span
from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.scores.breakdowns import NOT_NOTED, CategoryMean
from assess.models import Evaluation
from assess.services.scores.categories import Breakdown, RunCategories, Sheet, by_category, sheet_of
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.measure_names import key_of
from assess.web.scores.evaluations import BASE, evaluation_view, measure_context


def asked_breakdown(request: HttpRequest, evaluation: Evaluation, measure: str, sheet: Sheet) -> Breakdown:
    """The means of all runs by the columns that ``?by=`` names, by default those of the labs."""
    wanted = request.GET.getlist("by") or COLUMNS
    return by_category(evaluation, measure, {name: words for name, words in sheet.items() if name in wanted} or sheet)


@evaluation_view
def evaluation_categories(request: HttpRequest, evaluation: Evaluation) -> HttpResponse:
    measure, context = measure_context(request, evaluation)
    sheet = sheet_of(evaluation.campaign)
    breakdown = asked_breakdown(request, evaluation, measure, sheet)
    shown = {column.column for column in breakdown.columns}
    context |= {
        "columns": [(column, column in shown) for column in sheet],
        "groups": breakdown.columns,
        "topics": breakdown.topics,
        "rows": [(row.run, row.whole, cells_of(evaluation, measure, breakdown, row)) for row in breakdown.rows],
    }
    return render(request, "scores/evaluation_categories.html", context)


def cells_of(
    evaluation: Evaluation, measure: str, breakdown: Breakdown, row: RunCategories
) -> list[list[tuple[CategoryMean | None, int, str]]]:
    """By column of the sheet the mean over each category, the number of its topics in the evaluation, and the address
    of the run's topics in it."""
    address = reverse("evaluation_run", args=[evaluation.campaign.slug, evaluation.pk, row.run.pk])

    def address_of(column: str, category: str) -> str:
        return f"{address}?{urlencode({'measure': key_of(measure), 'column': column, 'category': category})}"

    return [
        [
            (mean, topics, address_of(column.column, category))
            for mean, (category, topics) in zip(means, column.categories.items(), strict=True)
        ]
        for means, column in zip(row.columns, breakdown.columns, strict=True)
    ]


@evaluation_view
def evaluation_categories_file(request: HttpRequest, evaluation: Evaluation, file_format: str) -> HttpResponse:
    """The table as CSV, with a line for each run and category; or as LaTeX, as it is on the page."""
    campaign = evaluation.campaign
    measure, _ = measure_context(request, evaluation)
    breakdown = asked_breakdown(request, evaluation, measure, sheet_of(campaign))
    columns = breakdown.columns
    names = [category or NOT_NOTED for column in columns for category in column.categories]
    counts = [count for column in columns for count in column.categories.values()]
    rows = [
        (row.run.name, row.whole.value, *(mean and mean.value for mean in chain(*row.columns)))
        for row in breakdown.rows
    ]
    table = FileTable(
        ("run", "team", "measure", "column", "category", "topics", "value"),
        list(file_lines(breakdown, measure)),
        f"{campaign}: {measure} by category of the topics, with their numbers.",
        latex_header=("Run", "All", *names),
        latex_rows=[("topics", breakdown.topics, *counts), *rows],
        spans=[Span("", 2), *(Span(column.column.capitalize(), len(column.categories)) for column in columns)],
    )
    return as_attachment([table], f"{campaign.slug}.results-{evaluation.pk}.categories", file_format)


def file_lines(breakdown: Breakdown, measure: str) -> Iterator[tuple[object, ...]]:
    for row in breakdown.rows:
        about = (row.run.name, row.run.team, measure)
        yield (*about, "", "all", row.whole.topics, row.whole.value)
        for column, means in zip(breakdown.columns, row.columns, strict=True):
            for category, mean in zip(column.categories, means, strict=True):
                yield (*about, column.column, category or NOT_NOTED, mean.topics if mean else 0, mean and mean.value)


urlpatterns = [
    path(f"{BASE}/categories/", evaluation_categories, name="evaluation_categories"),
    path(f"{BASE}/categories.<slug:file_format>", evaluation_categories_file, name="evaluation_categories_file"),
]
