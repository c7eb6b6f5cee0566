"""The runs of a campaign."""

from typing import NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from assess.ir.common.percent import percent
from assess.models import Job, MadeFile, Run
from assess.services.common.access import campaign_for
from assess.services.runs import runs as services
from assess.services.runs.coverage import LOW_COVERAGE
from assess.web.common.forms import errors_on
from assess.web.common.job_start import start
from assess.web.common.pipeline import elsewhere
from assess.web.common.responses import attachment, refusals
from assess.web.common.uploads import store
from assess.web.runs.forms import EditRunForm, UploadRunsForm

NAMED = 20
"""How many of the documents that the collection lacks the page of a run names."""
FIELDS = ("team", "name", "kind", "method", "data", "pool_role")


class Coverage(NamedTuple):
    """The share of a run's documents that the collection holds, in per cent, None where there is nothing to compare
    with; and whether people should be warned."""

    percent: float | None
    is_low: bool

    @classmethod
    def of(cls, run: Run) -> "Coverage":
        share = run.known_share
        if share is None:
            return cls(None, False)
        return cls(percent(run.coverage["known"], run.coverage["documents"]), share < LOW_COVERAGE)


def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """All runs, and a form to import more as a job."""
    found = campaign_for(request.user, slug)
    form = UploadRunsForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        with errors_on(form):
            services.require_place(found, form.metas)
            if form.not_chosen:
                messages.warning(
                    request, f"The table also names {', '.join(form.not_chosen)}: not chosen, not imported."
                )
            return start(request, found, Job.Kind.RUNS, files=files_of(form))
    context = {
        "campaign": found,
        "form": form,
        "runs": [(one, Coverage.of(one)) for one in found.runs.all()],
        "pool": found.frozen_pool(),
        "next": elsewhere(found, "runs"),
    }
    return render(request, "runs/runs.html", context)


def files_of(form: UploadRunsForm) -> list[dict[str, object]]:
    """The files of the form as the job takes them."""
    pairs = zip(form.cleaned_data["run_files"], form.metas, strict=True)
    return [{"path": store(file), "meta": meta._asdict()} for file, meta in pairs]


def run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One run: what its file told, its coverage, and what is said about it."""
    found = campaign_for(request.user, slug)
    one = get_object_or_404(found.runs.select_related("campaign"), pk=pk)
    pool = found.frozen_pool()
    form = EditRunForm(
        request.POST or None, initial={name: getattr(one, name) for name in FIELDS}, frozen=pool is not None
    )
    if form.is_valid():
        if found.runs.exclude(pk=pk).filter(name=form.cleaned_data["name"]).exists():
            form.add_error("name", "Another run has this name.")
        else:
            with errors_on(form):
                services.change(one, form.meta(one.file_name))
                messages.success(request, "Saved.")
                return redirect(one)
    one.refresh_from_db()
    context = {
        "campaign": found,
        "section": "runs",
        "run": one,
        "coverage": Coverage.of(one),
        "has_file": MadeFile.objects.filter(run=one).exists(),
        "lacking": services.lacking(one, NAMED),
        "form": form,
        "is_kept": pool is not None and one.pool_role != Run.PoolRole.NONE,
    }
    return render(request, "runs/run.html", context)


@require_safe
def run_file(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The file of a run that was made here, to download."""
    one = get_object_or_404(campaign_for(request.user, slug).runs.all(), pk=pk)
    text = services.file_of(one)
    if text is None:
        raise Http404
    return attachment(text, one.file_name)


def run_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = campaign_for(request.user, slug)
    one = get_object_or_404(found.runs.all(), pk=pk)
    if request.method == "POST":
        with refusals(request, f"Run {one.name} deleted."):
            services.delete(one)
        return redirect("runs", slug)
    context = {
        "campaign": found,
        "title": f"Delete run {one.name}?",
        "text": "You can import it again from its file.",
        "action": "Delete",
        "back": reverse("run", args=[slug, pk]),
    }
    return render(request, "campaign/confirm.html", context)


urlpatterns = [
    path("c/<slug:slug>/runs/", runs, name="runs"),
    path("c/<slug:slug>/runs/<int:pk>/", run, name="run"),
    path("c/<slug:slug>/runs/<int:pk>/file/", run_file, name="run_file"),
    path("c/<slug:slug>/runs/<int:pk>/delete/", run_delete, name="run_delete"),
]
