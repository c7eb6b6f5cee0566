"""A run in an evaluation: its values topic by topic, by category of the topics, and how it is judged by rank."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from assess.ir.scores.breakdowns import NOT_NOTED
from assess.ir.scores.rank_profile import Band
from assess.models import Evaluation, Run
from assess.services.scores import topic_values
from assess.services.scores.results import with_topic_values
from assess.services.scores.topic_sets import means_by_run
from assess.services.scores.topic_values import AllRuns
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
    """All topics of the run that ``?run=`` names, or on the page those of the category that ``?column=`` and
    ``?category=`` name."""
    campaign = evaluation.campaign
    run = get_object_or_404(campaign.runs, pk=number_in(request.GET, "run"))
    names = with_topic_values(evaluation.measures_of(run))
    measure, context = measure_context(request, evaluation, names)
    topics = topic_values.values_by_topic(evaluation, run)
    others = topic_values.summarize_topics(topic_values.values_by_run(evaluation, measure))
    rows = [RunTopic(topic, [of.get(name) for name in names], others.get(topic)) for topic, of in topics.items()]
    sheet = topic_values.sheet_of(campaign)
    columns = {column: topic_values.categories_of_run(topics, words, names) for column, words in sheet.items()}
    if file_format:
        tables = file_tables(evaluation, run, names, measure, rows, columns)
        return as_files(evaluation, tables, f"run-{run.pk}", file_format)
    means = means_by_run(evaluation.means).get(run.pk, {})
    column, category = request.GET.get("column", ""), request.GET.get("category", "")
    words = sheet.get(column, {})
    rows = [row for row in rows if not words or words.get(row.topic, "") == category]
    profile = evaluation.profiles.filter(run=run).first()
    bands = [Band(*band) for band in profile.bands] if profile else []
    context |= {
        "run": run,
        "columns": columns.items(),
        "names": [on_screen(name) for name in names],
        "rows": rows,
        "means": [means[name].value if name in means else None for name in names],
        "only": (column, category) if words else None,
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
            address = reverse("progress", args=[slug], query={"topic": row.topic})
            yield {"topic": row.topic, "value": row.values[chosen], "address": address, **row.others._asdict()}


def file_tables(
    evaluation: Evaluation,
    run: Run,
    names: Sequence[str],
    measure: str,
    rows: Iterable[RunTopic],
    columns: Mapping[str, Iterable[tuple[str, int, list[float | None]]]],
) -> Iterator[FileTable]:
    """The topics, and below them the means by category."""
    about = f"{run} of {evaluation.campaign}, {str(evaluation.qrels).lower()}"
    lines = [(row.topic, *row.values, row.others and row.others.median) for row in rows]
    yield FileTable(("topic", *names, f"median {measure} of all runs"), lines, f"{about}: by topic.")
    for column, categories in columns.items():
        parts = [(category or NOT_NOTED, count, *means) for category, count, means in categories]
        yield FileTable((column, "topics", *names), parts, f"{about}: by {column}.")
