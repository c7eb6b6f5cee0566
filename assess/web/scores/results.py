"""Results: the form that starts an evaluation, and the tables of evaluations."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.rows import grouped
from assess.ir.formats.latex import Bold, Heading, Row, Span
from assess.ir.scores.definitions import CS, Measure, find_measure, offered_measures
from assess.ir.scores.measures import official_measures, order_measures
from assess.models import Campaign, Evaluation, Qrels, Run
from assess.services import job_kinds
from assess.services.common import workspace
from assess.services.common.access import ORGANIZER
from assess.services.common.wording import listed
from assess.services.scores import results as services
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.jobs import start_job
from assess.web.common.measure_names import key_of, on_screen
from assess.web.common.responses import render_form, unfinished
from assess.web.scores.parts import PARTS, asked_evaluation, evaluations_of, part_address, what_if

BASELINES = "Baselines"
FLAGS = "P: primary, bP and bA: baseline pooled as primary or alternate, M: manual"
OF_MATHEMATICS = ", G: generated; T: text, M: math, B: both, L: links"

KINDS = {
    "judged": "Unjudged documents removed",
    "whole": "Unjudged documents count as not relevant",
    "first": "First document only",
}
MANY = 20
"""Measures that are named in one sentence."""
HIGHEST_SUM = 4
"""Of the points of two assessors."""
AVERAGES = "The labs used all topics of the qrels for answers (Task 1), the run's judged ones for formulas (Task 2)."
JUDGED = "How much is judged"
Choices = list[tuple[str, str]]


class EvaluateForm(forms.ModelForm):  # type: ignore[type-arg]
    """A release, the measures, and every choice that changes a number. At first, these are as in the evaluation
    ``last``, with the latest release. What is not sent is as the labs did it."""

    measures = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple({"class": "in-columns"}))
    written_measures = forms.MultipleChoiceField(
        label="Measures of written answers", widget=forms.CheckboxSelectMultiple({"class": "in-columns"})
    )
    scores = forms.FileField(
        label="Values computed elsewhere",
        help_text="Lines of run, topic, measure and value, for CS (not computed here) or LO with other tokens.",
    )

    class Meta:
        model = Evaluation
        fields = dict.fromkeys(("qrels", "average", "measures", "written_measures", "scores", *Evaluation.OPTIONS))
        labels = {"qrels": "Release"}
        widgets = {"average": forms.RadioSelect, "level": forms.Select}

    def __init__(
        self, data: Any = None, files: Any = None, *, campaign: Campaign, last: Evaluation | None = None
    ) -> None:
        releases = Qrels.objects.of(campaign).select_related("pool__campaign")
        initial: dict[str, Any] = {"level": ""}
        if latest := next(iter(releases), None):
            initial |= {"qrels": latest.pk, "average": latest.pool.rules.kind.average}
            initial["measures"] = official_measures(latest.pool.rules)
        if last:
            del initial["average"], initial["measures"]
            if last.level != last.qrels.protocol["level"]:
                del initial["level"]
        super().__init__(data, files, instance=last or Evaluation(), initial=initial)
        fields: dict[str, Any] = self.fields
        fields["qrels"].queryset, fields["qrels"].empty_label = releases, None
        fields["average"].choices = Evaluation.Average.choices
        rules, highest = campaign.rules, HIGHEST_SUM if any(release.is_sum for release in releases) else 0
        if rules.kind.has_threads:
            fields["average"].help_text = AVERAGES
        fields["measures"].choices = grouped_choices(rules)
        levels = {value for value in rules.values if value > 0} | set(range(1, highest + 1))
        levels |= {self.initial["level"] or rules.level}
        fields["level"].widget.choices = [("", "As the release has it"), *((level, level) for level in sorted(levels))]
        label = "" if rules.relevant_label == "relevant" else f" ({rules.relevant_label})"
        fields["level"].help_text = f"For all measures but nDCG and AR. The protocol: {rules.level}{label}."
        self.usual = listed(map(on_screen, official_measures(rules)), MANY)
        fields["written_measures"].choices = choices_of(
            measure for measure in offered_measures("written") if measure.name != CS
        )
        if not campaign.runs.filter(format=Run.Format.TASK3).exists():
            del self.fields["written_measures"], self.fields["scores"]
        for option in self.options:
            option.field.required = False

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields that are rarely changed."""
        return [field for field in self if field.name not in ("qrels", "average")]

    @property
    def has_wrong_option(self) -> bool:
        return any(field.errors for field in self.options)

    def params(self) -> dict[str, Any]:
        """For the job: the release and the options that were sent."""
        chosen = {name: value for name, value in self.cleaned_data.items() if value}
        if file := chosen.pop("scores", None):
            chosen |= {"path": workspace.keep_file(file), "name": file.name}
        return {**chosen, "qrels": self.cleaned_data["qrels"].pk}


def grouped_choices(rules: Protocol) -> list[tuple[str, Choices]]:
    """The measures of rankings by what becomes of unjudged documents, the official ones first."""
    official = official_measures(rules)
    names = [*official, *(measure.name for measure in offered_measures(rules.task))]
    measures = map(find_measure, order_measures(names, official))
    groups = grouped((JUDGED if measure.family == "judged" else KINDS[measure.input], measure) for measure in measures)
    return [(kind, choices_of(measures)) for kind, measures in groups.items()]


def choices_of(measures: Iterable[Measure]) -> Choices:
    return [(measure.name, on_screen(measure.name)) for measure in measures]


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
    """By team or by a column, over the sets of topics and the measures that ``?sets=`` and ``?measures=`` name."""
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


def asked_tables(
    request: HttpRequest, evaluation: Evaluation
) -> tuple[dict[str, Any], Iterable[services.ResultsTable]]:
    """What can stand side by side in the tables, sets of topics and measures, and the tables with the columns and in
    the order that the address names: ``?sort=ndcg``, or ``?sort=ndcg-12`` for the column of another set than the main
    one. What an address names otherwise is ignored."""
    names, offered = services.measures_with_means(evaluation), services.offered_sets(evaluation, request.user)
    wanted, wanted_measures = request.GET.getlist("sets") or [services.WHOLE], request.GET.getlist("measures")
    sets = [topic_set for topic_set in offered if topic_set.key in wanted] or offered[-1:]
    measures = [name for name in names if key_of(name) in wanted_measures] or names
    columns = {
        "sets": [(topic_set.key, topic_set.name, topic_set in sets) for topic_set in offered],
        "measures": [(key_of(name), on_screen(name), name in measures) for name in names],
    }
    key, _, topic_set = request.GET.get("sort", "").partition("-")
    measure = next((name for name in names if key_of(name) == key), "")
    order = (topic_set or services.main_set(evaluation, sets).key, measure)
    return columns, services.results_tables(evaluation, sets, measures, order).values()


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


def for_template(evaluation: Evaluation, table: services.ResultsTable) -> dict[str, Any]:
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


def heads_of(table: services.ResultsTable, choice: services.TopicSet) -> list[tuple[str, str, str, bool]]:
    """Of each column: the parameter that sorts by it, the measure, what that is, and whether it is sorted."""
    suffix = "" if choice == table.main else f"-{choice.key}"
    measures = map(find_measure, table.measures)
    return [
        (f"{each.key}{suffix}", on_screen(each.name), each.definition, table.order == (choice.key, each.name))
        for each in measures
    ]


def results_file_table(evaluation: Evaluation, table: services.ResultsTable) -> FileTable:
    """As CSV, every run has its team and flags in columns of their own; a paper has the team as a heading. What data a
    run used is known in labs of mathematics."""
    is_wide, has_data = len(table.sets) > 1, evaluation.campaign.rules.kind.has_threads
    columns = [
        f"{name} ({choice.name})" if is_wide else name for choice in table.sets for name in (*table.measures, "topics")
    ]
    rows = [
        (row.run.name, row.run.team, row.run.kind, "yes" if row.is_pooled else "no", *file_cells(row, has_data))
        for row in table.rows
    ]
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


def file_cells(row: services.ResultsRow, has_data: bool, *, in_bold: bool = False) -> Iterator[Any]:
    """Flags and data of a run; for each set its values, the best in bold if asked for, and the number of topics."""
    yield from (row.flags, *[row.run.data[0].upper()] * has_data)
    for entry in row.entries:
        yield from (cell and (Bold(cell.value) if in_bold and cell.best else cell.value) for cell in entry.cells)
        yield entry.topics


def paper_rows(table: services.ResultsTable, has_data: bool) -> Iterator[Row]:
    """With headings where runs are grouped."""
    for group, rows in groupby(table.rows, lambda row: None if table.order else row.group):
        if group is not None:
            yield Heading(group or BASELINES)
        for row in rows:
            name = row.run.name if row.is_pooled else f"{row.run.name}*"
            yield (name, *file_cells(row, has_data, in_bold=True))
