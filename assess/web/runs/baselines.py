"""Baselines: runs that organizers make here. A form for each; the job's result leads to the run."""

from typing import Any, NamedTuple

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.baselines.query_formula import query_file
from assess.models import Campaign, Job, Run
from assess.services.common.access import campaign_for
from assess.services.runs import baselines as services
from assess.services.runs import runs
from assess.web.common.forms import errors_on
from assess.web.common.job_start import start
from assess.web.common.responses import attachment, unfinished
from assess.web.common.uploads import store


class BaselineForm(forms.Form):
    """What every baseline is told: its name and how deep it is pooled. Fields of a subclass are its options."""

    name = forms.CharField(max_length=120)
    pool_role = forms.ChoiceField(choices=Run.PoolRole.choices, help_text="How deep it is pooled.")

    KEPT = ("name", "pool_role", "file")
    ABOUT = ""
    NAME = ""
    ROLE = Run.PoolRole.PRIMARY

    def __init__(self, data: Any, files: Any, *, campaign: Campaign, kind: str, frozen: bool) -> None:
        initial = {"name": self.NAME, "pool_role": Run.PoolRole.NONE if frozen else self.ROLE}
        super().__init__(data, files, prefix=kind, initial=initial)
        self.campaign = campaign

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self.campaign.runs.filter(name=name).exists():
            raise forms.ValidationError("Another run has this name.")
        return name

    @property
    def options(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name not in self.KEPT}


class TfIdfForm(BaselineForm):
    symbols = forms.ChoiceField(
        label="LaTeX",
        choices=[("latex", "As it stands"), ("words", "Symbols as English words")],
        help_text="With words, \\int in a formula also meets “integral” in a sentence.",
    )

    ABOUT = "Answers whose words and LaTeX are most like those of the question, rare ones counting more."
    NAME = "TF-IDF"
    ROLE = Run.PoolRole.ALTERNATE


class LinkedForm(BaselineForm):
    file = forms.FileField(
        label="Questions of the topics",
        help_text="Tab-separated: the topic, and the number of its question on the site or of a known duplicate. Not "
        "needed where the campaign has its topic threads.",
    )

    ABOUT = (
        "All answers to questions that moderators marked as duplicates of the topic's question, by votes. "
        "Participants do not see these links."
    )
    NAME = "Linked posts"

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        self.fields["file"].required = not campaign.topics.exclude(thread_id="").exists()


class TuplesForm(BaselineForm):
    """The options of BM25 and of math tuples, for both formula baselines."""

    k1 = forms.FloatField(
        min_value=0, max_value=10, initial=1.2, label="k1", help_text="Lower: repetitions soon stop to count."
    )
    b = forms.FloatField(
        min_value=0, max_value=1, initial=0.75, label="b", help_text="How much long documents are discounted, 0 to 1."
    )
    location = forms.IntegerField(
        min_value=1,
        max_value=99,
        initial=8,
        label="Longest location",
        help_text="Parts of a formula count once more with their place, if the path to it has fewer nodes. 99: all.",
    )
    anchors = forms.BooleanField(required=False, initial=True, label="Count places from the nearest relation (=, <, …)")
    wildcards = forms.BooleanField(required=False, initial=True, label="Match repeated symbols whatever their name")


class AnswersForm(TuplesForm):
    alpha = forms.FloatField(
        min_value=0,
        max_value=1,
        initial=0.18,
        label="Weight of formulas (α)",
        help_text="0: words only; 1: formulas only.",
    )
    query = forms.ChoiceField(
        label="Formulas of the question",
        choices=[("all", "All of them"), ("one", "One: from the title, with most symbols")],
    )
    field_order = ("name", "pool_role", "alpha", "query")

    ABOUT = "Answers that share words and parts of formulas with the question, ranked by BM25."
    NAME = "Formulas and words"
    ROLE = Run.PoolRole.ALTERNATE


class FormulasForm(TuplesForm):
    instances = forms.IntegerField(
        min_value=1, max_value=1000, initial=5, label="Instances", help_text="Of each formula, so many at most."
    )
    field_order = ("name", "pool_role", "instances")

    ABOUT = "Visually distinct formulas that share parts with the topic's formula, ranked by BM25."
    NAME = "Formula parts"


class FusionForm(BaselineForm):
    first = forms.TypedChoiceField(coerce=int, label="One run")
    second = forms.TypedChoiceField(coerce=int, label="Other run")

    ABOUT = (
        "The mean of two runs whose scores are brought to 0–1 topic by topic. A document that one run lacks counts 0 "
        "there."
    )
    NAME = "Mean"

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        choices = list(services.fusible(campaign).values_list("pk", "name"))
        for name in ("first", "second"):
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        self.initial["second"] = next((pk for pk, _ in choices[1:]), None)

    def clean(self) -> dict[str, Any]:
        if not self.errors and self.cleaned_data["first"] == self.cleaned_data["second"]:
            self.add_error("second", "Choose two different runs.")
        return self.cleaned_data


FORMS: dict[str, type[BaselineForm]] = {
    "tfidf": TfIdfForm,
    "linked": LinkedForm,
    "tuples": AnswersForm,
    "formulas": FormulasForm,
    "fusion": FusionForm,
}


PLACES = {"posts": "collection", "formulas": "collection", "runs": "runs"}
"""Where what a baseline needs is imported."""


class Card(NamedTuple):
    """A baseline on the page: its form, or what it waits for and the page where that comes from."""

    kind: str
    label: str
    form: BaselineForm
    lacks: str
    page: str


def baselines(request: HttpRequest, slug: str) -> HttpResponse:
    """A form for each baseline that fits the task; the one that was sent starts a job."""
    found = campaign_for(request.user, slug)
    frozen = found.frozen_pool() is not None
    sent = request.POST.get("baseline", "")
    cards = [card(request, found, kind, sent == kind, frozen) for kind in services.kinds_for(found)]
    for one in cards:
        if one.form.is_valid():
            with errors_on(one.form):
                return submitted(request, found, one)
    context = {
        "campaign": found,
        "section": "runs",
        "cards": cards,
        "frozen": frozen,
        "made": found.runs.exclude(provenance={}),
        "job": unfinished(found, Job.Kind.BASELINE),
    }
    return render(request, "runs/baselines.html", context)


def card(request: HttpRequest, campaign: Campaign, kind: str, is_sent: bool, frozen: bool) -> Card:
    given = (request.POST, request.FILES) if is_sent else (None, None)
    form = FORMS[kind](*given, campaign=campaign, kind=kind, frozen=frozen)
    known = services.KINDS[kind]
    page = PLACES[known.needs] if campaign.topics.exists() else "topics"
    return Card(kind, known.label, form, services.lacks(campaign, known), page)


def submitted(request: HttpRequest, campaign: Campaign, one: Card) -> HttpResponse:
    """Start the job, unless the frozen pool has no place for the run."""
    given = one.form.cleaned_data
    meta = runs.RunMeta(f"{given['name']}.tsv", services.TEAM, pool_role=given["pool_role"])
    runs.require_place(campaign, [meta])
    file = {"path": store(given["file"]), "file": given["file"].name} if given.get("file") else {}
    params = {"baseline": one.kind, "name": given["name"], "pool_role": given["pool_role"]}
    return start(request, campaign, Job.Kind.BASELINE, options=one.form.options, **params, **file)


@require_safe
def query_formulas(request: HttpRequest, slug: str) -> HttpResponse:
    """One formula for each topic, to download: the queries of an engine that takes formulas only."""
    found = campaign_for(request.user, slug)
    if found.is_formulas:
        raise Http404
    return attachment(query_file(services.query_formulas(found)), f"{slug}.query-formulas.tsv")


urlpatterns = [
    path("c/<slug:slug>/baselines/", baselines, name="baselines"),
    path("c/<slug:slug>/baselines/query-formulas.tsv", query_formulas, name="query_formulas"),
]
