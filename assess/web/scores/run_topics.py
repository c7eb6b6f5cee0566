"""A run in an evaluation: its values topic by topic, by category of the topics, and how it is judged by rank."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from assess.ir.scores.breakdowns import NOT_NOTED
from assess.ir.scores.rank_profile import Band
from assess.models import Campaign, Evaluation, Run
from assess.services.common.access import ORGANIZER
from assess.services.scores import categories, rank_profiles, results, topic_values
from assess.services.scores.topic_values import Beside, Values
from assess.web.common.doors import campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.measure_names import asked, key_of, measure_links, on_screen
from assess.web.scores.results import evaluations_of


class RunTopic(NamedTuple):
    """A topic with the run's values of the shown measures, and those of all runs by the chosen one."""

    topic: str
    values: list[float | None]
    beside: Beside | None


class Scores(NamedTuple):
    """A run of an evaluation: its measures with their means, the chosen one of them, and the values of its topics."""

    evaluation: Evaluation
    run: Run
    names: list[str]
    means: list[float | None]
    chosen: str
    topics: list[tuple[str, Values]]

    def rows(self) -> list[RunTopic]:
        beside = topic_values.beside(topic_values.values(self.evaluation, self.chosen))
        return [
            RunTopic(topic, [values.get(name) for name in self.names], beside.get(topic))
            for topic, values in self.topics
        ]


def scores_of(request: HttpRequest, campaign: Campaign, pk: int, run_pk: int) -> Scores:
    """With the measure that ``?measure=`` names."""
    evaluation = get_object_or_404(evaluations_of(campaign), pk=pk)
    run = get_object_or_404(campaign.runs, pk=run_pk)
    means = results.means_of(evaluation, run)
    names = results.of_topics(evaluation.measures_of(run))
    chosen = asked(request.GET, names)
    of_names = [means[name].value if name in means else None for name in names]
    return Scores(evaluation, run, names, of_names, chosen, topic_values.by_topic(evaluation, run))


@require_safe
@campaign_view(ORGANIZER)
def evaluation_run(request: HttpRequest, campaign: Campaign, pk: int, run_pk: int) -> HttpResponse:
    """All topics, or those of the category that ``?column=`` and ``?category=`` name."""
    scores = scores_of(request, campaign, pk, run_pk)
    sheet = categories.sheet(campaign)
    column, category = request.GET.get("column", ""), request.GET.get("category", "")
    words = sheet.get(column, {})
    rows = [row for row in scores.rows() if not words or words.get(row.topic, "") == category]
    bands = rank_profiles.of_run(scores.evaluation, scores.run)
    context = {
        "campaign": campaign,
        "section": "results",
        "evaluation": scores.evaluation,
        "run": scores.run,
        "measures": measure_links(scores.names, scores.chosen),
        "chosen": on_screen(scores.chosen),
        "chosen_key": key_of(scores.chosen),
        "names": [on_screen(name) for name in scores.names],
        "rows": rows,
        "means": scores.means,
        "only": (column, category) if words else None,
        "columns": list(by_column(scores, sheet)),
        "bands": bands,
        "left_out": topic_values.left_out(scores.evaluation, scores.run),
        "topics": campaign.topics.count(),
        "charts": {"topics": list(bars(campaign, scores, rows)), "bands": list(points(bands))},
    }
    return render(request, "scores/evaluation_run.html", context)


def by_column(
    scores: Scores, sheet: categories.Sheet
) -> Iterator[tuple[str, list[tuple[str, int, list[float | None]]]]]:
    """For each column of the topic sheet: its categories, with the number of topics and the means of the run."""
    for column, words in sheet.items():
        shares = categories.of_run(scores.topics, words)
        yield (
            column,
            [(category, topics, [means.get(name) for name in scores.names]) for category, topics, means in shares],
        )


def bars(campaign: Campaign, scores: Scores, rows: Sequence[RunTopic]) -> Iterator[dict[str, Any]]:
    """What the chart shows of each topic. A topic leads to its judgments."""
    for row in rows:
        if row.beside:
            value = row.values[scores.names.index(scores.chosen)]
            address = reverse("topic_judgments", args=[campaign.slug, row.topic])
            yield {"topic": row.topic, "value": value, "address": address, **row.beside._asdict()}


def points(bands: Sequence[Band]) -> Iterator[dict[str, Any]]:
    for band in bands:
        yield {"rank": (band.first * band.last) ** 0.5, "judged": band.share, "relevance": band.relevance}


@require_safe
@campaign_view(ORGANIZER)
def evaluation_run_file(
    request: HttpRequest, campaign: Campaign, pk: int, run_pk: int, file_format: str
) -> HttpResponse:
    """The topics, and below them the means by category, as CSV or LaTeX."""
    scores = scores_of(request, campaign, pk, run_pk)
    about = f"{scores.run} of {campaign}, {str(scores.evaluation.qrels).lower()}"
    header = ("topic", *scores.names, f"median {scores.chosen} of all runs")
    rows = [(row.topic, *row.values, row.beside and row.beside.median) for row in scores.rows()]
    tables = [FileTable(header, rows, f"{about}: by topic.")]
    for column, shares in by_column(scores, categories.sheet(campaign)):
        by_category = [(category or NOT_NOTED, topics, *means) for category, topics, means in shares]
        tables.append(FileTable((column, "topics", *scores.names), by_category, f"{about}: by {column}."))
    return as_attachment(tables, f"{campaign.slug}.results-{pk}.run-{run_pk}", file_format)


BASE = "c/<slug:slug>/results/<int:pk>/runs/<int:run_pk>"
urlpatterns = [
    path(f"{BASE}/", evaluation_run, name="evaluation_run"),
    path(f"{BASE}/topics.<slug:file_format>", evaluation_run_file, name="evaluation_run_file"),
]
