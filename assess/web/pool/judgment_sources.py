"""Judgments made elsewhere: the list of sources with the form to import one, and the page of a source. For organizers
only."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from assess.ir.formats.source_files import LEAVE_OUT
from assess.models import Action, Campaign, Job, JudgmentSource, Qrels
from assess.services import job_kinds
from assess.services.common import workspace
from assess.services.common.access import ORGANIZER
from assess.services.pool import judgment_sources as service
from assess.web.common.doors import campaign_action, campaign_view
from assess.web.common.forms import form_field
from assess.web.common.html import style
from assess.web.common.jobs import restart_job, start_job
from assess.web.common.responses import confirm, errors_on, number_in, person, render_form, tell_done, unfinished


class ColumnsForm(forms.Form):
    """How a file is read, if that is not recognized."""

    asked: Collection[str] = service.COLUMNS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        options = {name: service.OPTIONS[name] for name in self.asked}
        self.fields |= {name: form_field(option, required=option.is_required) for name, option in options.items()}
        for name in service.COLUMNS:
            self.fields[name].widget.attrs["list"] = "columns-of-file"

    @property
    def columns(self) -> list[forms.BoundField]:
        return [self[name] for name in service.COLUMNS]


class SourceForm(ColumnsForm):
    file = forms.FileField(help_text="Qrels, a table with a header, or JSON lines.")
    asked = service.OPTIONS

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        if campaign.has_visual_ids:
            self.fields["items"].required = True
        else:
            del self.fields["items"]

    @property
    def others(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in service.COLUMNS]

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            given = {name: value for name, value in self.cleaned_data.items() if name != "file"}
            with errors_on(self, "name"):
                self.meta = service.describe_source(self.campaign, self.cleaned_data["file"].name, given)
        return self.cleaned_data


class LabelsForm(forms.Form):
    """What labels of a file mean, each with how often it is there, if a file is asked about."""

    def __init__(self, *args: Any, campaign: Campaign, counts: Sequence[tuple[str, int | None]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        grades = {str(each.value): f"{each.name} ({each.value})" for each in campaign.rules.grades}
        names = campaign.rules.names | grades | {LEAVE_OUT: "Leave out"}
        self.texts = {f"label-{place}": text for place, (text, _) in enumerate(counts)}
        now = service.readings(campaign, self.texts.values(), campaign.labels)
        for field, text in self.texts.items():
            choices = [("", "Choose …"), *names.items()]
            widget = forms.Select(attrs={"aria-label": f"Meaning of {text}"})
            self.fields[field] = forms.ChoiceField(label=text, choices=choices, initial=now[text], widget=widget)
        places = zip(counts, self.texts, strict=True)
        self.rows = [(text, count, names.get(now[text], now[text]), self[field]) for (text, count), field in places]


def refused_import(request: HttpRequest, campaign: Campaign, part: str) -> Job:
    jobs = campaign.jobs.filter(kind=job_kinds.import_source.key, state__in=Job.UNDONE)
    return get_object_or_404(jobs, pk=number_in(request.GET, part))


def judgment_columns(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Which columns a file has: that of the job ``?columns=``, which was refused and is then read again."""
    job = refused_import(request, campaign, "columns")
    meta = job.params["meta"]
    form = ColumnsForm(request.POST or None, initial=dict(zip(service.COLUMNS, meta["columns"], strict=True)))
    if form.is_valid():
        service.name_columns(job, form.cleaned_data)
        return restart_job(request, job)
    context = {"form": form, "job": job}
    return render_form(request, "pool/judgment_columns.html", context)


def judgment_labels(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What labels mean: those of the refused job ``?labels=``, which is then read again, else the remembered ones."""
    job = counts = None
    if request.GET["labels"]:
        job = refused_import(request, campaign, "labels")
        counts = job.result.get("labels")
    counts = counts or [(text, None) for text in campaign.labels]
    form = LabelsForm(request.POST or None, campaign=campaign, counts=counts)
    if request.method == "POST" and form.is_valid():
        with errors_on(form):
            words = {text: form.cleaned_data[field] for field, text in form.texts.items()}
            tell_done(request, service.remember_labels(campaign, words, person(request)))
            return restart_job(request, job) if job else redirect("judgment_sources", campaign.slug)
    context = {"form": form, "job": job}
    return render_form(request, "pool/judgment_labels.html", context)


@campaign_view(ORGANIZER)
def judgment_sources(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The list and its form, or what the query names: a source, or what an import asks about a file."""
    for part, view in {"source": judgment_source, "columns": judgment_columns, "labels": judgment_labels}.items():
        if part in request.GET:
            return view(request, campaign)
    form = SourceForm(request.POST or None, request.FILES or None, campaign=campaign)
    if form.is_valid():
        path = workspace.keep_file(form.cleaned_data["file"])
        return start_job(request, campaign, job_kinds.import_source, path=path, meta=asdict(form.meta))
    context = {
        "form": form,
        "sources": list(campaign.judgment_sources.all()),
        "running": unfinished(campaign, job_kinds.import_source, job_kinds.score_what_if),
    }
    return render_form(request, "pool/judgment_sources.html", context)


def source_in(campaign: Campaign, pk: int) -> JudgmentSource:
    source = get_object_or_404(campaign.judgment_sources.select_related("imported_by"), pk=pk)
    source.campaign = campaign
    return source


def judgment_source(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A source: its grades, who judged, how it fits the campaign, and what can be made of it."""
    source = source_in(campaign, number_in(request.GET, "source"))
    campaign, pool = source.campaign, source.campaign.current_pool()
    release = Qrels.objects.of(campaign).first()
    context = {
        "source": source,
        "grades": grades_of(source),
        "topics_here": service.topics_here(source),
        "topic_count": campaign.topics.count(),
        "pool": pool,
        "coverage": service.coverage(source, pool) if pool else None,
        "uses": service.uses(source),
        "release": release,
        "runs": campaign.runs.count(),
        "what_ifs": source.what_ifs.select_related("release"),
        "running": unfinished(campaign, job_kinds.score_what_if),
    }
    return render(request, "pool/judgment_source.html", context)


def grades_of(source: JudgmentSource) -> list[tuple[str, str, int]]:
    """Each grade and outcome: CSS class, label and how often it is there; all grades, but only outcomes that occur."""
    counts = source.counts["grades"]
    rules = source.campaign.rules
    rows = [(style(rules, str(grade)), str(grade), counts.get(str(grade), 0)) for grade in rules.values]
    found = [each for each in rules.outcomes if counts.get(each.word)]
    return rows + [(style(rules, each.word), each.name, counts[each.word]) for each in found]


@campaign_action(ORGANIZER, "judgment_sources")
def judgment_source_delete(request: HttpRequest, campaign: Campaign, pk: int) -> Action | HttpResponse:
    source = source_in(campaign, pk)
    if "sure" in request.POST:
        return service.delete_source(source, person(request))
    text = "The scores made with it are deleted, too. You can import it again from its file."
    return confirm(request, f"Delete {source}?", text, "Delete", source.get_absolute_url())
