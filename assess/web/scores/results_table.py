"""A table of results as the page and its files show it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

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
    addresses = {choice.key: reverse_to_runs(choice) for choice in table.sets}
    return {
        "sets": [(choice, choice.evaluation.get_absolute_url()) for choice in table.sets],
        "heads": [heads_of(table, choice) for choice in table.sets],
        "rows": [(row, flags(row.run), list(entries(table, row, addresses))) for row in table.rows],
        "otherwise": [choice for choice in table.sets if options_of(choice.evaluation) != options_of(evaluation)],
        "span": len(table.measures) + 1,
        "width": 3 + len(table.sets) * (len(table.measures) + 1),
        "is_sorted": table.order is not None,
        "is_written": any(row.run.is_written for row in table.rows),
    }


class Head(NamedTuple):
    """The head of a column: the parameter that sorts by it, the measure and what that is."""

    key: str
    name: str
    definition: str
    is_sorted: bool


def heads_of(table: ResultsTable, choice: TopicSet) -> list[Head]:
    suffix = "" if choice == table.main else f"-{choice.key}"
    measures = [definitions.find_measure(name) for name in table.measures]
    return [
        Head(
            f"{measure.key}{suffix}",
            on_screen(measure.name),
            measure.definition,
            table.order == (choice.key, measure.name),
        )
        for measure in measures
    ]


def reverse_to_runs(choice: TopicSet) -> str:
    """The address of a run's topics in a set, with 0 for its key: one look-up for all runs."""
    evaluation = choice.evaluation
    return reverse("evaluation_run", args=[evaluation.qrels.pool.campaign.slug, evaluation.pk, 0])


def entries(
    table: ResultsTable, row: ResultsRow, addresses: dict[str, str]
) -> Iterator[tuple[list[tuple[RunMean | None, str]], int]]:
    """For each set: the cells of a run, each with the address of what is behind it; and the number of topics."""
    for choice, entry in zip(table.sets, row.entries, strict=True):
        address = addresses[choice.key].replace("/runs/0/", f"/runs/{entry.run_key}/")
        cells = [
            (cell, f"{address}?measure={key_of(name)}") for cell, name in zip(entry.cells, table.measures, strict=True)
        ]
        yield cells, entry.topics


def file_table(evaluation: Evaluation, table: ResultsTable) -> FileTable:
    """As CSV, every run has its team and flags in columns of their own; a paper has the team as a heading."""
    is_wide = len(table.sets) > 1
    columns = [
        f"{name} ({choice.name})" if is_wide else name for choice in table.sets for name in (*table.measures, "topics")
    ]
    about = ("run", "team", "kind", "pooled", "flags", "data")
    rows = [
        (
            *(
                row.run.name,
                row.run.team,
                row.run.kind,
                "yes" if row.is_pooled else "no",
                flags(row.run),
                row.run.data[0].upper(),
            ),
            *(value for entry in row.entries for value in numbers(entry)),
        )
        for row in table.rows
    ]
    head = [name for _ in table.sets for name in (*table.measures, "Topics")]
    spans = [Span("", 3), *(Span(choice.name, len(table.measures) + 1) for choice in table.sets)]
    campaign = evaluation.qrels.pool.campaign
    caption = f"{campaign}: runs scored with {str(evaluation.qrels).lower()}. {LEGEND}; * not pooled."
    return FileTable(
        (*about, *columns),
        rows,
        caption,
        latex_header=("Run", "Flags", "Data", *head),
        latex_rows=list(paper_rows(table)),
        spans=spans if is_wide else (),
    )


def numbers(entry: RunMeans) -> list[object]:
    return [*(cell.value if cell else None for cell in entry.cells), entry.topics]


def paper_rows(table: ResultsTable) -> Iterator[Row]:
    """The best of each column in bold; headings where runs are grouped."""
    group = None
    for row in table.rows:
        if table.order is None and row.group != group:
            group = row.group
            yield Heading(group or BASELINES)
        mark = "" if row.is_pooled else "*"
        values = [value for entry in row.entries for value in paper_numbers(entry)]
        yield (f"{row.run.name}{mark}", flags(row.run), row.run.data[0].upper(), *values)


def paper_numbers(entry: RunMeans) -> list[object]:
    cells = [Bold(cell.value) if cell and cell.best else cell and cell.value for cell in entry.cells]
    return [*cells, entry.topics]
