"""All runs by category of the topics."""

from collections.abc import Iterator
from itertools import chain

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from assess.ir.formats.latex import Span
from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.scores.breakdowns import NOT_NOTED, CategoryMean
from assess.models import Evaluation
from assess.services.scores.topic_values import Breakdown, RunCategories, by_category, sheet_of
from assess.web.common.files import FileTable
from assess.web.common.measure_names import key_of
from assess.web.scores.evaluations import as_files, measure_context, part_address


def evaluation_categories(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    """The means of all runs by the columns that ``?by=`` names, by default those of the labs."""
    measure, context = measure_context(request, evaluation)
    sheet = sheet_of(evaluation.campaign)
    wanted = request.GET.getlist("by") or COLUMNS
    chosen = {column: words for column, words in sheet.items() if column in wanted} or sheet
    breakdown = by_category(evaluation, measure, chosen)
    if file_format:
        return as_files(evaluation, [file_table(evaluation, measure, breakdown)], "categories", file_format)
    context |= {
        "columns": [(column, column.capitalize(), column in chosen) for column in sheet],
        "groups": breakdown.columns.items(),
        "topics": breakdown.topics,
        "rows": [(row.run, row.whole, cells_of(evaluation, measure, breakdown, row)) for row in breakdown.rows],
    }
    return render(request, "scores/evaluation_categories.html", context)


def cells_of(
    evaluation: Evaluation, measure: str, breakdown: Breakdown, row: RunCategories
) -> list[list[tuple[CategoryMean | None, int, str]]]:
    """By column of the sheet the mean over each category, the number of its topics in the evaluation, and the address
    of the run's topics in it."""
    about: dict[str, str | int] = {"run": row.run.pk, "measure": key_of(measure)}
    return [
        [
            (mean, topics, part_address(evaluation, "run", **about, column=column, category=category))
            for mean, (category, topics) in zip(means, categories.items(), strict=True)
        ]
        for means, (column, categories) in zip(row.columns, breakdown.columns.items(), strict=True)
    ]


def file_table(evaluation: Evaluation, measure: str, breakdown: Breakdown) -> FileTable:
    """As CSV, with a line for each run and category; in a paper as on the page."""
    columns = breakdown.columns
    names = [category or NOT_NOTED for categories in columns.values() for category in categories]
    counts = [count for categories in columns.values() for count in categories.values()]
    rows = [
        (row.run.name, row.whole.value, *(mean and mean.value for mean in chain(*row.columns)))
        for row in breakdown.rows
    ]
    return FileTable(
        ("run", "team", "measure", "column", "category", "topics", "value"),
        list(file_lines(breakdown, measure)),
        f"{evaluation.campaign}: {measure} by category of the topics, with their numbers.",
        latex_header=("Run", "All", *names),
        latex_rows=[("topics", breakdown.topics, *counts), *rows],
        spans=[Span("", 2), *(Span(column.capitalize(), len(categories)) for column, categories in columns.items())],
    )


def file_lines(breakdown: Breakdown, measure: str) -> Iterator[tuple[object, ...]]:
    for row in breakdown.rows:
        about = (row.run.name, row.run.team, measure)
        yield (*about, "", "all", row.whole.topics, row.whole.value)
        for (column, categories), means in zip(breakdown.columns.items(), row.columns, strict=True):
            for category, mean in zip(categories, means, strict=True):
                yield (*about, column, category or NOT_NOTED, mean.topics if mean else 0, mean and mean.value)
