"""A table of results as the page and its files show it."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.urls import reverse

from assess.ir.formats.latex import Bold, Heading, Row, Span
from assess.ir.scores import definitions
from assess.models import Evaluation
from assess.services.scores.results import ResultsRow, ResultsTable, RunMean, RunMeans, flags
from assess.services.scores.topic_sets import TopicSet, options_of
from assess.web.common.files import FileTable
from assess.web.common.measure_names import key_of, on_screen

BASELINES = "Baselines"
LEGEND = (
    "P: primary, bP and bA: baseline pooled as primary or alternate, M: manual, G: generated; "
    "T: text, M: math, B: both, L: links"
)


def for_template(evaluation: Evaluation, table: ResultsTable) -> dict[str, Any]:
    """``heads``: of each set its columns; ``rows``: of each run its flags and entries; ``otherwise``: the sets that
    were scored with other options."""
    # An address with 0 for the key of the run: one look-up for all runs.
    addresses = [
        reverse("evaluation_run", args=[choice.evaluation.campaign.slug, choice.evaluation.pk, 0])
        for choice in table.sets
    ]
    return {
        "sets": [(choice, choice.evaluation.get_absolute_url()) for choice in table.sets],
        "heads": [heads_of(table, choice) for choice in table.sets],
        "rows": [(row, flags(row.run), list(entries_of(table, row, addresses))) for row in table.rows],
        "otherwise": [choice for choice in table.sets if options_of(choice.evaluation) != options_of(evaluation)],
        "span": len(table.measures) + 1,
        "width": 3 + len(table.sets) * (len(table.measures) + 1),
        "is_sorted": table.order is not None,
        "is_written": any(row.run.is_written for row in table.rows),
    }


def heads_of(table: ResultsTable, choice: TopicSet) -> list[dict[str, Any]]:
    """The heads of the columns: the parameter that sorts by each, the measure and what that is."""
    suffix = "" if choice == table.main else f"-{choice.key}"
    return [
        {
            "key": f"{measure.key}{suffix}",
            "name": on_screen(measure.name),
            "definition": measure.definition,
            "is_sorted": table.order == (choice.key, measure.name),
        }
        for measure in map(definitions.find_measure, table.measures)
    ]


def entries_of(
    table: ResultsTable, row: ResultsRow, addresses: Sequence[str]
) -> Iterator[tuple[list[tuple[RunMean | None, str]], int]]:
    """For each set: the cells of a run, each with the address of what is behind it; and the number of topics."""
    for entry, address in zip(row.entries, addresses, strict=True):
        of_run = address.replace("/runs/0/", f"/runs/{entry.run_key}/")
        links = [f"{of_run}?measure={key_of(name)}" for name in table.measures]
        yield list(zip(entry.cells, links, strict=True)), entry.topics


def file_table(evaluation: Evaluation, table: ResultsTable) -> FileTable:
    """As CSV, every run has its team and flags in columns of their own; a paper has the team as a heading."""
    is_wide = len(table.sets) > 1
    columns = [
        f"{name} ({choice.name})" if is_wide else name for choice in table.sets for name in (*table.measures, "topics")
    ]
    rows = []
    for row in table.rows:
        run = row.run
        about = (run.name, run.team, run.kind, "yes" if row.is_pooled else "no", flags(run), run.data[0].upper())
        rows.append((*about, *(value for entry in row.entries for value in file_cells(entry))))
    spans = [Span("", 3), *(Span(choice.name, len(table.measures) + 1) for choice in table.sets)]
    caption = f"{evaluation.campaign}: runs scored with {str(evaluation.qrels).lower()}. {LEGEND}; * not pooled."
    return FileTable(
        ("run", "team", "kind", "pooled", "flags", "data", *columns),
        rows,
        caption,
        latex_header=("Run", "Flags", "Data", *(*table.measures, "Topics") * len(table.sets)),
        latex_rows=list(paper_rows(table)),
        spans=spans if is_wide else (),
    )


def file_cells(entry: RunMeans, *, in_bold: bool = False) -> list[Any]:
    """The values of a run, the best of each column in bold if asked for; and the number of topics."""
    values = [cell and (Bold(cell.value) if in_bold and cell.best else cell.value) for cell in entry.cells]
    return [*values, entry.topics]


def paper_rows(table: ResultsTable) -> Iterator[Row]:
    """With headings where runs are grouped."""
    group = None
    for row in table.rows:
        if table.order is None and row.group != group:
            group = row.group
            yield Heading(group or BASELINES)
        values = [value for entry in row.entries for value in file_cells(entry, in_bold=True)]
        mark = "" if row.is_pooled else "*"
        yield (f"{row.run.name}{mark}", flags(row.run), row.run.data[0].upper(), *values)
