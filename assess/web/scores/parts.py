"""What the page of scores shows of an evaluation beside its tables, each also as a file: a run topic by topic and by
rank, all runs by category of the topics, all runs against one of them, two runs, and measures against each other. And
what the tables would be with the judgments of a source."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from assess.ir.formats.latex import Span
from assess.ir.scores.breakdowns import NOT_NOTED
from assess.ir.scores.definitions import AR
from assess.ir.scores.reusability import Band
from assess.models import Campaign, Evaluation, Qrels, Run, WhatIf
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.scores import topic_values
from assess.services.scores.results import correlate_measures, means_by_run, measures_with_means, with_topic_values
from assess.services.scores.topic_values import Breakdown, Tested
from assess.services.scores.what_if import COMPLETED, GRADINGS, OFFICIAL
from assess.web.common.doors import campaign_action
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.jobs import start_job
from assess.web.common.measure_names import asked, key_of, measure_links, on_screen
from assess.web.common.responses import asked_row, number_in

SIGNIFICANT = 0.05
INTERVAL = ("low", "high")
DIFFERENCE = ("difference", "difference low", "difference high")
TESTED = ("t", "p", "Bonferroni", "Holm")


def evaluations_of(campaign: Campaign) -> QuerySet[Evaluation]:
    return Evaluation.objects.of(campaign).select_related("qrels__pool__campaign")


def asked_evaluation(request: HttpRequest, campaign: Campaign) -> Evaluation | None:
    """The evaluation that ``?evaluation=`` names; by default the latest with the newest release that has one: an older
    release may be scored later, to compare."""
    known = evaluations_of(campaign)
    evaluation = asked_row(request, "evaluation", known) or known.order_by("-qrels_id", "-pk").first()
    if evaluation:
        evaluation.qrels.pool.campaign = campaign
    return evaluation


def part_address(evaluation: Evaluation, part: str, **query: str | int) -> str:
    named = {"evaluation": evaluation.pk, "part": part, **query}
    return reverse("results", args=[evaluation.campaign.slug], query=named)


def topic_address(evaluation: Evaluation, topic: str) -> str:
    """Of the judgments of a topic."""
    return reverse("pool", args=[evaluation.campaign.slug], query={"topic": topic})


def as_file(evaluation: Evaluation, table: FileTable, part: str, file_format: str) -> HttpResponse:
    return as_attachment([table], f"{evaluation.campaign.slug}.results-{evaluation.pk}.{part}", file_format)


def measure_context(
    request: HttpRequest, evaluation: Evaluation, names: Sequence[str] | None = None
) -> tuple[str, dict[str, Any]]:
    """The measure that ``?measure=`` names, of ``names`` or all with values of topics; and what all parts show."""
    names = with_topic_values(measures_with_means(evaluation)) if names is None else names
    measure = asked(request.GET, names)
    return measure, {
        "evaluation": evaluation,
        "measures": measure_links(names, measure),
        "measure": on_screen(measure),
        "measure_key": key_of(measure),
    }


def evaluation_run(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    """All topics of the run that ``?run=`` names, and what all runs reach on each by the chosen measure."""
    campaign = evaluation.campaign
    run = get_object_or_404(campaign.runs, pk=number_in(request.GET, "run"))
    names = with_topic_values(evaluation.measures_of(run))
    measure, context = measure_context(request, evaluation, names)
    topics = topic_values.values_by_topic(evaluation, run)
    others = topic_values.summarize_topics(topic_values.values_by_run(evaluation, measure))
    rows: list[dict[str, Any]] = [
        {"topic": topic, "values": [of.get(name) for name in names], "others": others.get(topic, {})}
        for topic, of in topics.items()
    ]
    if file_format:
        lines = [(row["topic"], *row["values"], row["others"].get("median")) for row in rows]
        caption = f"{run} of {campaign}, {str(evaluation.qrels).lower()}: by topic."
        table = FileTable(("topic", *names, f"median {measure} of all runs"), lines, caption)
        return as_file(evaluation, table, f"run-{run.pk}", file_format)
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
            "topics": [
                {
                    "topic": row["topic"],
                    "value": row["values"][names.index(measure)],
                    "address": topic_address(evaluation, row["topic"]),
                    **row["others"],
                }
                for row in rows
                if row["others"]
            ],
            "highest": evaluation.qrels.pool.rules.counted_values[0],
            "last": bands[-1].last if bands else None,
            "bands": [
                {"rank": (band.first * band.last) ** 0.5, "judged": band.share, "relevance": band.relevance}
                for band in bands
            ],
        },
    }
    return render(request, "scores/evaluation_run.html", context)


def evaluation_categories(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    measure, context = measure_context(request, evaluation)
    breakdown = topic_values.by_category(evaluation, measure, topic_values.sheet_of(evaluation.campaign))
    if file_format:
        return as_file(evaluation, categories_table(evaluation, measure, breakdown), "categories", file_format)
    context |= {"groups": breakdown.columns.items(), "topics": breakdown.topics, "rows": breakdown.rows}
    return render(request, "scores/evaluation_categories.html", context)


def categories_table(evaluation: Evaluation, measure: str, breakdown: Breakdown) -> FileTable:
    """As CSV, with a line for each run and category; in a paper as on the page."""
    categories = [pair for of_column in breakdown.columns.values() for pair in of_column.items()]
    lines: list[Sequence[object]] = []
    rows: list[Sequence[object]] = [("topics", breakdown.topics, *(count for _, count in categories))]
    for run, whole, columns in breakdown.rows:
        about = (run.name, run.team, measure)
        lines.append((*about, "", "all", whole.topics, whole.value))
        for (column, names), cells in zip(breakdown.columns.items(), columns, strict=True):
            for name, (mean, _) in zip(names, cells, strict=True):
                lines.append((*about, column, name or NOT_NOTED, mean.topics if mean else 0, mean and mean.value))
        rows.append((run.name, whole.value, *(mean and mean.value for mean, _ in chain(*columns))))
    return FileTable(
        ("run", "team", "measure", "column", "category", "topics", "value"),
        lines,
        f"{evaluation.campaign}: {measure} by category of the topics, with their numbers.",
        latex_header=("Run", "All", *(name or NOT_NOTED for name, _ in categories)),
        latex_rows=rows,
        spans=[Span("", 2), *(Span(column.capitalize(), len(names)) for column, names in breakdown.columns.items())],
    )


def evaluation_significance(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    """All runs against the one that ``?against=`` names."""
    measure, context = measure_context(request, evaluation)
    against = number_in(request.GET, "against")
    reference, rows = topic_values.compare_with_reference(evaluation, measure, against)
    if file_format:
        return as_file(evaluation, against_table(evaluation, measure, reference, rows), "significance", file_format)
    pairs = {"measure": context["measure_key"], "second": reference.pk if reference else ""}
    context |= {
        "reference": reference,
        "rows": rows,
        "significant": SIGNIFICANT,
        "runs": sorted((row.run for row in rows), key=lambda run: (run.team, run.name)),
        "pair_address": part_address(evaluation, "two-runs", **pairs),
        "chart": list(intervals(rows, measure)),
    }
    return render(request, "scores/evaluation_significance.html", context)


def intervals(rows: Sequence[Tested], measure: str) -> Iterator[dict[str, Any]]:
    """Cut at 0 and 1, unless the measure goes beyond these: an interval of few topics would stretch the axis."""
    goes_beyond = measure == AR or any(not 0 <= (row.mean.mean or 0) <= 1 for row in rows)
    for row in rows:
        ends = {name: getattr(row.mean, name) for name in INTERVAL}
        if not goes_beyond:
            ends = {name: None if end is None else min(max(end, 0.0), 1.0) for name, end in ends.items()}
        p = row.comparison and row.comparison.holm  # corrected for all runs tested
        kind = "reference" if row.comparison is None else "apart" if p is not None and p < SIGNIFICANT else "other"
        yield {"run": row.run.name, "kind": kind, "mean": row.mean.mean, **ends}


def against_table(evaluation: Evaluation, measure: str, reference: Run | None, tested: Iterable[Tested]) -> FileTable:
    about = f"{evaluation.campaign}: {measure} with 95 % intervals, and differences from {reference}"
    rows = [cells_of(row) for row in tested]
    return FileTable(
        ("run", "team", "topics", measure, *INTERVAL, *DIFFERENCE, *TESTED),
        rows,
        f"{about} (paired t-test).",
        latex_header=("Run", "Team", "Topics", measure, *INTERVAL, "Diff.", *INTERVAL, *TESTED),
        latex_rows=[(*row[:-3], *("< 0.001" if p is not None and p < 0.001 else p for p in row[-3:])) for row in rows],
    )


def cells_of(row: Tested) -> list[Any]:
    """The three p are last."""
    cells = [row.run.name, row.run.team, *row.mean]
    if row.comparison is None:
        return [*cells, *[None] * len((*DIFFERENCE, *TESTED))]
    _, *difference = row.comparison.difference
    test = row.comparison.t
    return [*cells, *difference, test.statistic, test.p, row.comparison.bonferroni, row.comparison.holm]


def evaluation_pair(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    """The runs that ``?first=`` and ``?second=`` name, by default the best one and the reference of the other page."""
    measure, context = measure_context(request, evaluation)
    runs = topic_values.runs_with(evaluation, measure)
    context["runs"] = sorted(runs, key=lambda run: (run.team, run.name))
    if len(runs) < 2:
        if file_format:
            raise Http404
        return render(request, "scores/evaluation_pair.html", context)
    first, second = chosen_runs(request, runs)
    topics, comparison = topic_values.compare_two(evaluation, measure, first, second)
    lines = [(topic, a, b, a - b) for topic, a, b in topics]
    if file_format:
        caption = f"{evaluation.campaign}: {measure} of {first} and {second} by topic."
        table = FileTable(("topic", first.name, second.name, "difference"), lines, caption)
        return as_file(evaluation, table, "two-runs", file_format)
    signs = [(a > b) - (a < b) for _, a, b in topics]
    context |= {
        "first": first,
        "second": second,
        "comparison": comparison,
        "is_significant": comparison.t.p is not None and comparison.t.p < SIGNIFICANT,
        "wins": [signs.count(sign) for sign in (1, -1, 0)],
        "rows": [
            {"topic": topic, "first": a, "second": b, "difference": c, "address": topic_address(evaluation, topic)}
            for topic, a, b, c in lines
        ],
    }
    return render(request, "scores/evaluation_pair.html", context)


def chosen_runs(request: HttpRequest, runs: list[Run]) -> tuple[Run, Run]:
    """Two of these runs, the best first."""
    keys = {run.pk: run for run in runs}
    second = keys.get(number_in(request.GET, "second"))
    first = keys.get(number_in(request.GET, "first")) or next(run for run in runs if run != second)
    others = [run for run in runs if run != first]
    return first, second if second and second != first else topic_values.default_reference(others) or others[0]


def evaluation_correlations(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    """How alike each two measures see the runs."""
    correlations = correlate_measures(evaluation, measures_with_means(evaluation))
    if file_format:
        header = ("first", "second", "runs", "Pearson r", "Kendall tau-b", "Spearman rho")
        rows = [(*pair[:3], *(coefficient.value for coefficient in pair[3:])) for pair in correlations]
        table = FileTable(header, rows, f"{evaluation.campaign}: correlations between measures over the runs.")
        return as_file(evaluation, table, "correlations", file_format)
    _, context = measure_context(request, evaluation)
    return render(request, "scores/evaluation_correlations.html", context | {"correlations": correlations})


PARTS: dict[str, Callable[..., HttpResponse]] = {
    "run": evaluation_run,
    "categories": evaluation_categories,
    "significance": evaluation_significance,
    "two-runs": evaluation_pair,
    "measures": evaluation_correlations,
}


@campaign_action(ORGANIZER, "judgment_sources", source="pk")
def what_if_start(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Scores all runs with a source, beside the latest release."""
    source = get_object_or_404(campaign.judgment_sources, pk=pk)
    release = Qrels.objects.of(campaign).first()
    if release is None:
        raise Refused("There is no release to compare with. Make one first.")
    return start_job(request, campaign, job_kinds.score_what_if, source=pk, release=release.pk, note=source.name)


def what_if(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The what-if that ``?what_if=`` names, by the measure that ``?measure=`` names, in the order of the release. The
    order by the completed release can differ only if something was added."""
    known = WhatIf.objects.filter(source__campaign=campaign).select_related("source", "release")
    made = get_object_or_404(known, pk=number_in(request.GET, "what_if"))
    made.source.campaign = campaign
    tables = {table["measure"]: table for table in made.tables}
    measure = asked(request.GET, tables)
    table = tables[measure]
    for row in table["rows"]:
        place = row[OFFICIAL]["rank"]
        for cell in (row[grading] for grading in GRADINGS):  # places gained on the release, negative if lost
            cell["change"] = place - cell["rank"] if place and cell["rank"] else 0
        row[OFFICIAL]["change"] = None
    is_official = any(row[OFFICIAL]["topics"] for row in table["rows"])
    context = {
        "section": "judgment_sources",
        "what_if": made,
        "measures": measure_links(tables, measure),
        "measure": on_screen(measure),
        "tau": [
            (GRADINGS[grading], value)
            for grading, value in table["tau"].items()
            if grading != COMPLETED or table["added"]
        ],
        "gradings": GRADINGS.values(),
        "lacking": made.release if not is_official else "" if table["grades"] else made.source,
        "table": table,
        "rows": [(row, [row[grading] for grading in GRADINGS]) for row in table["rows"]],
    }
    return render(request, "scores/what_if.html", context)
