"""All runs by category of the topics."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from assess.ir.formats.latex import Span
from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.scores.breakdowns import NOT_NOTED
from assess.models import Campaign, Evaluation
from assess.services.common.access import ORGANIZER
from assess.services.scores import results
from assess.services.scores.categories import Breakdown, RunCategories, Sheet, by_category, sheet
from assess.services.scores.topic_sets import Mean
from assess.web.common.doors import campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.measure_names import asked, key_of, measure_links, on_screen
from assess.web.scores.results import evaluations_of


def breakdown_of(request: HttpRequest, evaluation: Evaluation, columns: Sheet) -> tuple[str, Sheet, Breakdown]:
    """The measure that ``?measure=`` names; the columns that ``?by=`` names, by default those of the labs; and the
    means of all runs."""
    measure = asked(request.GET, results.of_topics(results.measured(evaluation)))
    wanted = request.GET.getlist("by") or COLUMNS
    chosen = {column: words for column, words in columns.items() if column in wanted} or columns
    return measure, chosen, by_category(evaluation, measure, chosen)


@require_safe
@campaign_view(ORGANIZER)
def evaluation_categories(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    evaluation = get_object_or_404(evaluations_of(campaign), pk=pk)
    columns = sheet(campaign)
    measure, chosen, breakdown = breakdown_of(request, evaluation, columns)
    context = {
        "campaign": campaign,
        "section": "results",
        "evaluation": evaluation,
        "measures": measure_links(results.of_topics(results.measured(evaluation)), measure),
        "measure": on_screen(measure),
        "columns": [(column, column in chosen) for column in columns],
        "groups": breakdown.groups,
        "topics": breakdown.topics,
        "rows": [(row.run, *row_of(campaign, evaluation, measure, breakdown, row)) for row in breakdown.rows],
    }
    return render(request, "scores/evaluation_categories.html", context)


def row_of(
    campaign: Campaign, evaluation: Evaluation, measure: str, breakdown: Breakdown, row: RunCategories
) -> tuple[Mean, list[list[tuple[Mean | None, int, str]]]]:
    """The mean over all topics; and by group the mean over each category, the number of its topics in the evaluation,
    and the address of the run's topics in it."""
    address = reverse("evaluation_run", args=[campaign.slug, evaluation.pk, row.run.pk])
    cells = [
        [
            (share, topics, f"{address}?{urlencode(query(measure, group.column, category))}")
            for share, (category, topics) in zip(shares, group.categories.items(), strict=True)
        ]
        for shares, group in zip(row.shares, breakdown.groups, strict=True)
    ]
    return row.whole, cells


def query(measure: str, column: str, category: str) -> dict[str, Any]:
    return {"measure": key_of(measure), "column": column, "category": category}


@require_safe
@campaign_view(ORGANIZER)
def evaluation_categories_file(request: HttpRequest, campaign: Campaign, pk: int, file_format: str) -> HttpResponse:
    """The table as CSV, with a line for each run and category; or as LaTeX, as it is on the page."""
    evaluation = get_object_or_404(evaluations_of(campaign), pk=pk)
    measure, _, breakdown = breakdown_of(request, evaluation, sheet(campaign))
    header = ("run", "team", "measure", "column", "category", "topics", "value")
    names = [category or NOT_NOTED for group in breakdown.groups for category in group.categories]
    counts = [count for group in breakdown.groups for count in group.categories.values()]
    rows = [
        (row.run.name, row.whole.value, *(mean and mean.value for mean in chain(*row.shares))) for row in breakdown.rows
    ]
    table = FileTable(
        header,
        list(lines(breakdown, measure)),
        f"{campaign}: {measure} by category of the topics, with their numbers.",
        latex_header=("Run", "All", *names),
        latex_rows=[("topics", breakdown.topics, *counts), *rows],
        spans=[Span("", 2), *(Span(group.column.capitalize(), len(group.categories)) for group in breakdown.groups)],
    )
    return as_attachment([table], f"{campaign.slug}.results-{pk}.categories", file_format)


def lines(breakdown: Breakdown, measure: str) -> Iterator[tuple[object, ...]]:
    for row in breakdown.rows:
        about = (row.run.name, row.run.team, measure)
        yield (*about, "", "all", row.whole.topics, row.whole.value)
        for group, shares in zip(breakdown.groups, row.shares, strict=True):
            for category, share in zip(group.categories, shares, strict=True):
                yield (*about, group.column, category or NOT_NOTED, share.topics if share else 0, share and share.value)


BASE = "c/<slug:slug>/results/<int:pk>/categories"
urlpatterns = [
    path(f"{BASE}/", evaluation_categories, name="evaluation_categories"),
    path(f"{BASE}.<slug:file_format>", evaluation_categories_file, name="evaluation_categories_file"),
]
