"""Pages of the runs of a campaign, and forms to import and edit them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from assess.ir.campaign.protocol import Protocol
from assess.ir.common.problems import refuse
from assess.ir.formats.ir_metadata import HIDDEN, NAME, RUN_OF_TIRA, IrMetadata, read_ir_metadata
from assess.ir.formats.packed import is_archive, iter_files
from assess.ir.runs.fusion import methods
from assess.models import Action, Campaign, MadeFile, Run
from assess.models.run import LOW_COVERAGE
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.common.workspace import keep_file
from assess.services.pipeline import next_elsewhere
from assess.services.runs import baselines
from assess.services.runs import runs as services
from assess.services.runs.metadata import RunMeta, described, read_head, read_metadata
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.forms import NameField, SeveralFilesField, SeveralFilesInput, changed_labels
from assess.web.common.jobs import start_job
from assess.web.common.responses import asked_row, attachment, confirm, errors_on, person, render_form, tell_done

TABLE_NAME = "runs.tsv"


class RunForm(forms.Form):
    """The metadata of a run."""

    team = NameField()
    name = NameField(required=False, help_text="If empty, the tag in the file is taken.")
    kind = forms.ChoiceField(choices=Run.Kind.choices)
    method = forms.ChoiceField(choices=Run.Method.choices)
    data = forms.ChoiceField(choices=Run.Data.choices, initial=Run.Data.BOTH, label="Data used")  # type: ignore[assignment]
    answers = forms.TypedChoiceField(
        choices=Run.Answers.choices,
        required=False,
        empty_value=Run.Answers.EXTRACTED,
        label="Written answers",
        help_text="Of Task 3: whether a program wrote them.",
    )
    pool_role = forms.ChoiceField(choices=Run.PoolRole.choices, help_text="How deep the run is pooled.")

    def __init__(self, *args: Any, rules: Protocol, is_written: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_written:
            del self.fields["answers"]
        if not rules.kind.has_threads:
            del self.fields["data"]

    def meta(self, file: str) -> RunMeta:
        fields = {name: self.cleaned_data[name] for name in RunMeta._fields if name in self.cleaned_data}
        return RunMeta(file=file, **fields)


class EditRunForm(RunForm):
    """A stored run has a name. If the pool is ``frozen``, the pool role cannot be changed."""

    name = NameField()

    def __init__(self, *args: Any, frozen: bool, run: Run) -> None:
        initial = {name: getattr(run, name) for name in self.base_fields}
        super().__init__(*args, rules=run.campaign.rules, is_written=run.is_written, initial=initial)
        if frozen:
            self.fields["pool_role"].disabled = True
            self.fields["pool_role"].help_text = "Cannot be changed because the pool is frozen."


class UploadRunsForm(RunForm):
    """Run files with a table of their metadata, or with fields that apply to all of them."""

    not_uploaded: Sequence[str] = ()
    """Files that are in the table only."""
    use_required_attribute = False  # Otherwise browsers require a team even if a table has it.

    run_files = SeveralFilesField(
        widget=SeveralFilesInput(attrs={"required": True}),
        help_text="One or several, or a zip archive of them, with runs.tsv or TIRA’s ir-metadata.yml inside.",
    )
    team = NameField(error_messages={"required": "Enter the team, or choose a table of runs that has it."})
    pool_role = forms.ChoiceField(
        required=False,
        choices=[("", "By kind"), *Run.PoolRole.choices],
        help_text="By kind: alternate runs to the alternate depth, others to the primary depth.",
    )
    table = forms.FileField(
        required=False,
        label="Table of runs",
        help_text="A line for each file. The table replaces the fields below.",
    )
    order = forms.ChoiceField(choices=Run.Order.choices, help_text="Which column of the file sets the ranking.")
    format = forms.ChoiceField(required=False, label="File format")
    field_order = ("run_files", "table", "team", "name")

    def __init__(self, *args: Any, rules: Protocol, frozen: bool = False, **kwargs: Any) -> None:
        """``frozen``: the campaign's pool is, so that runs can only be scored."""
        super().__init__(*args, rules=rules, is_written=rules.written, **kwargs)
        known = [each for each in Run.Format.choices if each[0] in rules.run_formats]
        self.fields["format"].choices = [("", "Detect from the columns"), *known]  # type: ignore[attr-defined]
        if len(known) == 1:
            del self.fields["format"]
        self.metas: list[RunMeta] = []
        self.described: dict[str, IrMetadata] = {}
        self.packed_table: UploadedFile[Any] | None = None
        if self.files.get("table"):
            self.require_files_only()
        if frozen:
            none = Run.PoolRole.NONE
            self.fields["pool_role"].choices = [(none, none.label)]  # type: ignore[attr-defined]
            self.fields["pool_role"].help_text = "The pool is frozen: extend it to have late runs judged."

    def require_files_only(self) -> None:
        """A table says everything else."""
        for name in self.fields.keys() - {"run_files", "table"}:
            self.fields[name].required = False

    def clean_run_files(self) -> list[UploadedFile[Any]]:
        """The files, also those of archives; a table among them is remembered, and what runs say of themselves."""
        files: list[UploadedFile[Any]] = []
        with errors_on(self, "run_files"):
            pairs = [pair for file in self.cleaned_data["run_files"] for pair in unzipped(file)]
            files, self.described = with_metadata(pairs)
            if files and all(each.name in self.described and self.described[each.name].team for each in files):
                self.fields["team"].required = False
        tables = [file for file in files if file.name == TABLE_NAME]
        if tables and not self.files.get("table"):
            self.packed_table = tables[0]
            self.require_files_only()
        runs = [file for file in files if file not in tables]
        names = Counter(file.name for file in runs)
        if repeated := [name for name, count in names.items() if count > 1]:
            raise forms.ValidationError(f"Several files have the same name: {', '.join(map(str, repeated))}.")
        if not runs and not self.errors.get("run_files"):
            raise forms.ValidationError("The archive holds no runs.")
        return runs

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            files = self.cleaned_data["run_files"]
            if table := self.cleaned_data.get("table") or self.packed_table:
                with errors_on(self, "table"):
                    metas = read_metadata(cast(BinaryIO, table), str(table.name))
                    if absent := [file.name for file in files if file.name not in metas]:
                        raise Refused(f"The table has no line for {', '.join(absent)}.")
                    self.metas = [metas.pop(file.name)._replace(file=file.name) for file in files]
                    self.not_uploaded = sorted(metas)
            elif len(files) > 1 and self.cleaned_data["name"]:
                self.add_error(
                    "name", "Several files cannot share a name. Leave it empty to use the tags in the files."
                )
            else:
                self.metas = [described(self.meta(file.name), self.described.get(file.name)) for file in files]
        return self.cleaned_data


def unzipped(file: UploadedFile[Any]) -> Iterator[tuple[str, UploadedFile[Any]]]:
    """The files of a zip archive with their folders, or the file itself. A run of TIRA, which is always run.txt, is
    named after its folder, too. Raises BadInput."""
    name, limit = str(file.name), settings.UNPACK_LIMIT
    if not is_archive(name):
        yield "", file
        return
    for path, data in iter_files(file, name, limit, limit, hidden=HIDDEN):  # type: ignore[arg-type]
        parts = PurePosixPath(path).parts
        part = TemporaryUploadedFile(
            "-".join(parts) if RUN_OF_TIRA.fullmatch(parts[-1]) else parts[-1], "", len(data), None
        )
        part.write(data)
        part.seek(0)
        yield "/".join(parts[:-1]), part


def with_metadata(
    pairs: Sequence[tuple[str, UploadedFile[Any]]],
) -> tuple[list[UploadedFile[Any]], dict[str, IrMetadata]]:
    """The files of runs, and what is said of them, by name: in a file beside each, or at its head. Raises BadInput."""
    found: dict[str, IrMetadata] = {}
    about = [pair for pair in pairs if NAME.fullmatch(str(pair[1].name))]
    runs = [pair for pair in pairs if pair not in about]
    for _, file in runs:
        if of_head := read_head(cast(BinaryIO, file), str(file.name)):
            found[str(file.name)] = of_head
    for folder, file in about:
        beside = [str(run.name) for other, run in runs if other == folder and run.name != TABLE_NAME]
        if len(beside) > 1:
            reason = f"describes one run, but {len(beside)} are beside it: put each into a folder, and zip these"
            raise refuse(str(file.name), reason)
        found |= dict.fromkeys(beside, read_ir_metadata(file.read(), str(file.name)))
    return [run for _, run in runs], found


@campaign_view(ORGANIZER)
def runs(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All runs, and a form to import more as a job; or the run that ``?run=`` names."""
    if one := asked_row(request, "run", campaign.runs.select_related("campaign")):
        return show_run(request, campaign, one)
    pool = campaign.frozen_pool()
    form = UploadRunsForm(request.POST or None, request.FILES or None, frozen=pool is not None, rules=campaign.rules)
    if form.is_valid():
        with errors_on(form):
            services.refuse_pooled_if_frozen(campaign, [meta.role for meta in form.metas])
            if form.not_uploaded:
                messages.warning(request, f"In the table but not among the files: {', '.join(form.not_uploaded)}.")
            return start_job(request, campaign, job_kinds.import_runs, files=job_files(form))
    rows = list(campaign.runs.all())
    context = {
        "form": form,
        "runs": rows,
        "low_coverage": 100 * LOW_COVERAGE,
        "pool": pool,
        "has_topics": bool(rows) or campaign.topics.exists(),
        "next": next_elsewhere(campaign, "runs"),
    }
    return render_form(request, "runs/runs.html", context)


def job_files(form: UploadRunsForm) -> list[dict[str, object]]:
    """The files as parameters of the job."""
    pairs = list(zip(form.cleaned_data["run_files"], form.metas, strict=True))
    files: list[dict[str, object]] = [{"path": keep_file(file), "meta": meta._asdict()} for file, meta in pairs]
    for file, _ in pairs:
        file.close()  # Django does not know those of an archive
    return files


def show_run(request: HttpRequest, campaign: Campaign, run: Run) -> HttpResponse:
    """A run with its coverage, the notes on its file, and a form for its metadata."""
    pool = campaign.frozen_pool()
    form = EditRunForm(request.POST or None, frozen=pool is not None, run=run)
    if form.is_valid():
        with errors_on(form):
            meta = form.meta(run.file_name)
            tell_done(request, services.change_run(run, meta, person(request), changed_labels(form)))
            return redirect(run)
    run.refresh_from_db()
    context = {
        "run": run,
        "options": words_of_options(run),
        "fused": fused_runs(run),
        "has_file": MadeFile.objects.filter(run=run).exists(),
        "form": form,
        "is_kept": (pool is not None and run.pool_role != Run.PoolRole.NONE) or run.scores.exists(),
    }
    return render_form(request, "runs/run.html", context)


def words_of_options(run: Run) -> list[str]:
    """The options of a run that was made here, as the form says them, without those that had no effect."""
    options = run.provenance.get("options", {})
    asked = methods.OPTIONS if "method" in run.provenance else baselines.OPTIONS
    unused = "folds" if options.get("training") else ""
    shown = ((asked[name], value) for name, value in options.items() if name in asked and name != unused)
    return [option.in_words(value) for option, value in shown if option.label]


def fused_runs(run: Run) -> list[dict[str, Any]]:
    """The runs that were fused, as the record has them, each with its weight."""
    runs = run.provenance.get("runs", [])
    weights = run.provenance.get("options", {}).get("weights") or [None] * len(runs)
    return [fused | {"weight": weight} for fused, weight in zip(runs, weights, strict=True)]


@campaign_page(ORGANIZER)
def run_file(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Download a run that was made here."""
    run = get_object_or_404(campaign.runs.all(), pk=pk)
    text = services.text_of_made_run(run)
    if text is None:
        raise Http404
    return attachment(text, run.file_name)


@campaign_action(ORGANIZER, "runs")
def run_delete(request: HttpRequest, campaign: Campaign, pk: int) -> Action | HttpResponse:
    run = get_object_or_404(campaign.runs.all(), pk=pk)
    if "sure" in request.POST:
        return services.delete_run(run, person(request))
    text = "You can make it again." if run.provenance else "You can import it again from its file."
    return confirm(request, f"Delete run {run.name}?", text, "Delete", run.get_absolute_url())


@campaign_action(ORGANIZER, "runs", run="pk")
def run_withdraw(request: HttpRequest, campaign: Campaign, pk: int) -> Action:
    """Withdraw a run, or bring it back."""
    run = get_object_or_404(campaign.runs.all(), pk=pk)
    return services.withdraw_run(run, person(request), request.POST.get("withdraw") != "no")
