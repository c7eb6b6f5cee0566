"""Pages of the runs of a campaign."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from assess.ir.runs.fusion import methods
from assess.models import Action, Campaign, MadeFile, Run
from assess.models.run import LOW_COVERAGE
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.workspace import keep_file
from assess.services.pipeline import next_elsewhere
from assess.services.runs import baselines
from assess.services.runs import runs as services
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.forms import changed_labels
from assess.web.common.jobs import start_job
from assess.web.common.responses import asked_row, attachment, confirm, errors_on, person, render_form, tell_done
from assess.web.runs.forms import EditRunForm, UploadRunsForm


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
