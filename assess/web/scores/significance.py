"""All runs against one of them, two runs topic by topic, and measures against each other."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from assess.ir.scores.definitions import AR
from assess.models import Evaluation, Run
from assess.services.scores import topic_values
from assess.services.scores.results import correlate_measures, measures_with_means
from assess.services.scores.topic_values import Tested
from assess.web.common.files import FileTable
from assess.web.common.responses import number_in
from assess.web.scores.evaluations import as_files, measure_context, part_address

SIGNIFICANT = 0.05
INTERVAL = ("low", "high")
DIFFERENCE = ("difference", "difference low", "difference high")
TESTED = ("t", "p", "Bonferroni", "Holm")


def evaluation_significance(request: HttpRequest, evaluation: Evaluation, file_format: str = "") -> HttpResponse:
    """All runs against the one that ``?against=`` names."""
    measure, context = measure_context(request, evaluation)
    against = number_in(request.GET, "against")
    reference, rows = topic_values.compare_with_reference(evaluation, measure, against)
    if file_format:
        return as_files(evaluation, [against_table(evaluation, measure, reference, rows)], "significance", file_format)
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
    chosen = chosen_runs(request, runs)
    context["runs"] = sorted(runs, key=lambda run: (run.team, run.name))
    if not chosen:
        if file_format:
            raise Http404
        return render(request, "scores/evaluation_pair.html", context)
    compared = topic_values.compare_two(evaluation, measure, *chosen)
    lines = [(topic, a, b, a - b) for topic, a, b in compared.topics]
    if file_format:
        caption = f"{evaluation.campaign}: {measure} of {chosen[0]} and {chosen[1]} by topic."
        table = FileTable(("topic", chosen[0].name, chosen[1].name, "difference"), lines, caption)
        return as_files(evaluation, [table], "two-runs", file_format)
    rows = [
        dict(zip(("topic", "first", "second", "difference"), line, strict=True))
        | {"address": reverse("pool", args=[evaluation.campaign.slug], query={"topic": line[0]})}
        for line in lines
    ]
    p = compared.comparison.t.p
    context |= {"first": chosen[0], "second": chosen[1], "shown": compared, "rows": rows}
    context["is_significant"] = p is not None and p < SIGNIFICANT
    return render(request, "scores/evaluation_pair.html", context)


def chosen_runs(request: HttpRequest, runs: list[Run]) -> tuple[Run, Run] | None:
    """Two of these runs, the best first; None if there is only one."""
    if len(runs) < 2:
        return None
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
        return as_files(evaluation, [table], "correlations", file_format)
    _, context = measure_context(request, evaluation)
    return render(request, "scores/evaluation_correlations.html", context | {"correlations": correlations})
