"""Values by topic: of a run, with how it is judged by rank; and of all runs by category of the topics."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from assess.ir.formats.latex import Span
from assess.ir.scores.breakdowns import NOT_NOTED
from assess.ir.scores.reusability import Band
from assess.models import Evaluation
from assess.services.scores import topic_values
from assess.services.scores.results import means_by_run, with_topic_values
from assess.services.scores.topic_values import AllRuns, Breakdown, by_category, sheet_of
from assess.web.common.files import FileTable
from assess.web.common.measure_names import on_screen
from assess.web.common.responses import number_in
from assess.web.scores.evaluations import as_files, measure_context


class RunTopic(NamedTuple):
    """A topic with the values of a run, and what all runs reach by the chosen measure."""

    topic: str
    values: list[float | None]
    others: AllRuns | None


def evaluation_run(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    """All topics of the run that ``?run=`` names."""
    campaign = evaluation.campaign
    run = get_object_or_404(campaign.runs, pk=number_in(request.GET, "run"))
    names = with_topic_values(evaluation.measures_of(run))
    measure, context = measure_context(request, evaluation, names)
    topics = topic_values.values_by_topic(evaluation, run)
    others = topic_values.summarize_topics(topic_values.values_by_run(evaluation, measure))
    rows = [RunTopic(topic, [of.get(name) for name in names], others.get(topic)) for topic, of in topics.items()]
    if file_format:
        lines = [(row.topic, *row.values, row.others and row.others.median) for row in rows]
        caption = f"{run} of {evaluation.campaign}, {str(evaluation.qrels).lower()}: by topic."
        table = FileTable(("topic", *names, f"median {measure} of all runs"), lines, caption)
        return as_files(evaluation, [table], f"run-{run.pk}", file_format)
    means = means_by_run(evaluation.means).get(run.pk, {})
    profile = evaluation.profiles.filter(run=run).first()
    bands = [Band(*band) for band in profile.bands] if profile else []
    context |= {
        "run": run,
        "names": [on_screen(name) for name in names],
        "rows": rows,
        "means": [means[name].value if name in means else None for name in names],
        "bands": bands,
        "left_out": campaign.topics.exclude(topic_id__in=topics),
        "topics": campaign.topics.count(),
        "charts": {
            "topics": list(bars(campaign.slug, rows, names.index(measure) if measure else 0)),
            "highest": evaluation.qrels.pool.rules.counted_values[0],
            "last": bands[-1].last if bands else None,
            "bands": [
                {"rank": (band.first * band.last) ** 0.5, "judged": band.share, "relevance": band.relevance}
                for band in bands
            ],
        },
    }
    return render(request, "scores/evaluation_run.html", context)


def bars(slug: str, rows: Iterable[RunTopic], chosen: int) -> Iterator[dict[str, Any]]:
    """What the chart shows of each topic: the value at this place. A topic leads to its judgments."""
    for row in rows:
        if row.others:
            address = reverse("pool", args=[slug], query={"topic": row.topic})
            yield {"topic": row.topic, "value": row.values[chosen], "address": address, **row.others._asdict()}


def evaluation_categories(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    measure, context = measure_context(request, evaluation)
    breakdown = by_category(evaluation, measure, sheet_of(evaluation.campaign))
    counts = list(breakdown.columns.values())
    if file_format:
        return as_files(evaluation, [file_table(evaluation, measure, breakdown)], "categories", file_format)
    context |= {
        "groups": breakdown.columns.items(),
        "topics": breakdown.topics,
        "rows": [
            (row, [zip(means, of.values(), strict=True) for means, of in zip(row.columns, counts, strict=True)])
            for row in breakdown.rows
        ],
    }
    return render(request, "scores/evaluation_categories.html", context)


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
