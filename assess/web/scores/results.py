"""Results: starting evaluations, and their tables."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from assess.ir.formats.latex import Bold, Heading, Row, Span
from assess.ir.scores import definitions
from assess.models import Campaign, Evaluation, Qrels
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.scores.results import (
    WHOLE,
    ResultsRow,
    ResultsTable,
    TopicSet,
    main_set,
    measures_with_means,
    offered_sets,
    results_tables,
)
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.jobs import start_job
from assess.web.common.measure_names import key_of, on_screen
from assess.web.common.responses import render_form, unfinished
from assess.web.scores.evaluate_form import EvaluateForm
from assess.web.scores.parts import PARTS, asked_evaluation, evaluations_of, part_address
from assess.web.scores.what_if import what_if

BASELINES = "Baselines"
FLAGS = "P: primary, bP and bA: baseline pooled as primary or alternate, M: manual"
OF_MATHEMATICS = ", G: generated; T: text, M: math, B: both, L: links"


@campaign_view(ORGANIZER)
def results(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """An evaluation, the form to evaluate again, and all evaluations; or the part of it that ``?part=`` names, or what
    other judgments would make of it (``?what_if=``). For organizers only: people who judge must not see runs."""
    if "what_if" in request.GET:
        return what_if(request, campaign)
    shown, part = asked_evaluation(request, campaign), asked_part(request)
    if request.method != "POST":
        if shown and part:
            return part(request, shown)
        return show_results(request, campaign, EvaluateForm(campaign=campaign, last=shown), shown)
    form = EvaluateForm(request.POST, request.FILES, campaign=campaign)
    if form.is_valid():
        return start_job(request, campaign, job_kinds.evaluate_runs, **form.params())
    return show_results(request, campaign, form, shown)


def asked_part(request: HttpRequest) -> Callable[..., HttpResponse] | None:
    """Raises Http404 if there is no such part."""
    name = request.GET.get("part", "")
    if name and name not in PARTS:
        raise Http404
    return PARTS.get(name)


def show_results(
    request: HttpRequest, campaign: Campaign, form: EvaluateForm, shown: Evaluation | None
) -> HttpResponse:
    """The results by team, or sorted by a column; over the sets of topics and with the measures that ``?sets=`` and
    ``?measures=`` name."""
    evaluations = evaluations_of(campaign).defer("means")
    latest = max(evaluations, key=lambda each: (each.qrels_id, each.pk), default=None)
    runs, tables = campaign.entered_runs().values_list("created", flat=True), dict[str, Any]()
    if shown:
        columns, made = asked_tables(request, shown)
        tables = {"evaluation": shown, "columns": columns, "tables": [for_template(shown, table) for table in made]}
    context = {
        **tables,
        "evaluations": evaluations,
        "is_older": shown and latest and shown.pk < latest.pk,
        "form": form,
        "can_start": Qrels.objects.of(campaign).exists(),
        "runs": len(runs),
        "unscored": sum(created > latest.created for created in runs) if latest else 0,
        "running": unfinished(campaign, job_kinds.evaluate_runs),
    }
    return render_form(request, "scores/results.html", context)


def asked_tables(request: HttpRequest, evaluation: Evaluation) -> tuple[dict[str, Any], Iterable[ResultsTable]]:
    """What can stand side by side in the tables, sets of topics and measures, and the tables with the columns and in
    the order that the address names: ``?sort=ndcg``, or ``?sort=ndcg-12`` for the column of another set than the main
    one. What an address names otherwise is ignored."""
    names, offered = measures_with_means(evaluation), offered_sets(evaluation, request.user)
    wanted, wanted_measures = request.GET.getlist("sets") or [WHOLE], request.GET.getlist("measures")
    sets = [topic_set for topic_set in offered if topic_set.key in wanted] or offered[-1:]
    measures = [name for name in names if key_of(name) in wanted_measures] or names
    columns = {
        "sets": [(topic_set.key, topic_set.name, topic_set in sets) for topic_set in offered],
        "measures": [(key_of(name), on_screen(name), name in measures) for name in names],
    }
    key, _, topic_set = request.GET.get("sort", "").partition("-")
    measure = next((name for name in names if key_of(name) == key), "")
    order = (topic_set or main_set(evaluation, sets).key, measure)
    return columns, results_tables(evaluation, sets, measures, order).values()


@campaign_page(ORGANIZER)
def results_file(request: HttpRequest, campaign: Campaign, file_format: str) -> HttpResponse:
    """The tables as they are shown, also those of a part, as CSV or LaTeX."""
    evaluation = asked_evaluation(request, campaign)
    if evaluation is None:
        raise Http404
    if part := asked_part(request):
        return part(request, evaluation, file_format)
    name = f"{evaluation.campaign.slug}.release-{evaluation.qrels.version}.results-{evaluation.pk}"
    _, tables = asked_tables(request, evaluation)
    return as_attachment([results_file_table(evaluation, table) for table in tables], name, file_format)


def for_template(evaluation: Evaluation, table: ResultsTable) -> dict[str, Any]:
    """``heads``: of each set its columns; ``rows``: of each run, for each set, its cells with the address of what is
    behind each, and the number of topics; ``otherwise``: the sets that were scored with other options."""
    addresses = [part_address(choice.evaluation, "run") for choice in table.sets]
    keys = [key_of(name) for name in table.measures]
    rows = []
    for row in table.rows:
        entries = []
        for address, entry in zip(addresses, row.entries, strict=True):
            links = [f"{address}&run={entry.run_key}&measure={key}" for key in keys]
            entries.append((list(zip(entry.cells, links, strict=True)), entry.topics))
        rows.append((row, entries))
    return {
        "sets": table.sets,
        "heads": [heads_of(table, choice) for choice in table.sets],
        "rows": rows,
        "otherwise": [choice for choice in table.sets if choice.evaluation.options != evaluation.options],
        "span": len(table.measures) + 1,
        "width": (3 if evaluation.campaign.rules.kind.has_threads else 2) + len(table.sets) * (len(table.measures) + 1),
        "is_sorted": table.order is not None,
        "is_written": any(row.run.is_written for row in table.rows),
    }


def heads_of(table: ResultsTable, choice: TopicSet) -> list[tuple[str, str, str, bool]]:
    """The heads of the columns: the parameter that sorts by each, the measure, what that is, and whether it is
    sorted."""
    suffix = "" if choice == table.main else f"-{choice.key}"
    measures = map(definitions.find_measure, table.measures)
    return [
        (f"{each.key}{suffix}", on_screen(each.name), each.definition, table.order == (choice.key, each.name))
        for each in measures
    ]


def results_file_table(evaluation: Evaluation, table: ResultsTable) -> FileTable:
    """As CSV, every run has its team and flags in columns of their own; a paper has the team as a heading. What data a
    run used is known in labs of mathematics."""
    is_wide, has_data = len(table.sets) > 1, evaluation.campaign.rules.kind.has_threads
    columns = [
        f"{name} ({choice.name})" if is_wide else name for choice in table.sets for name in (*table.measures, "topics")
    ]
    rows = []
    for row in table.rows:
        run = row.run
        about = (run.name, run.team, run.kind, "yes" if row.is_pooled else "no")
        rows.append((*about, *file_cells(row, has_data)))
    spans = [Span("", 2 + has_data), *(Span(choice.name, len(table.measures) + 1) for choice in table.sets)]
    legend = FLAGS + OF_MATHEMATICS * has_data
    caption = f"{evaluation.campaign}: runs scored with {str(evaluation.qrels).lower()}. {legend}; * not pooled."
    return FileTable(
        ("run", "team", "kind", "pooled", "flags", *["data"] * has_data, *columns),
        rows,
        caption,
        latex_header=("Run", "Flags", *["Data"] * has_data, *(*table.measures, "Topics") * len(table.sets)),
        latex_rows=list(paper_rows(table, has_data)),
        spans=spans if is_wide else (),
    )


def file_cells(row: ResultsRow, has_data: bool, *, in_bold: bool = False) -> Iterator[Any]:
    """The flags and the data of a run; for each set its values, the best of each column in bold if asked for, and the
    number of topics."""
    yield from (row.flags, *[row.run.data[0].upper()] * has_data)
    for entry in row.entries:
        yield from (cell and (Bold(cell.value) if in_bold and cell.best else cell.value) for cell in entry.cells)
        yield entry.topics


def paper_rows(table: ResultsTable, has_data: bool) -> Iterator[Row]:
    """With headings where runs are grouped."""
    for group, rows in groupby(table.rows, lambda row: None if table.order else row.group):
        if group is not None:
            yield Heading(group or BASELINES)
        for row in rows:
            name = row.run.name if row.is_pooled else f"{row.run.name}*"
            yield (name, *file_cells(row, has_data, in_bold=True))
