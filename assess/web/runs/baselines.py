"""Pages to make baselines."""

from typing import Any, NamedTuple

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.baselines.query_formula import query_file
from assess.models import Campaign, Run
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.common.uploads import keep_file
from assess.services.runs import baselines as services
from assess.services.runs import runs
from assess.services.runs.made import TEAM
from assess.web.common.doors import campaign_view
from assess.web.common.forms import NameField, errors_on
from assess.web.common.job_start import start
from assess.web.common.responses import attachment, unfinished


class BaselineForm(forms.Form):
    """The fields of every baseline. Those of a subclass are its options."""

    name = NameField()
    pool_role = forms.ChoiceField(choices=Run.PoolRole.choices, help_text="How deep the run is pooled.")

    NO_OPTIONS = ("name", "pool_role", "file")
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
        return {name: value for name, value in self.cleaned_data.items() if name not in self.NO_OPTIONS}


class TfIdfForm(BaselineForm):
    symbols = forms.ChoiceField(
        label="LaTeX",
        choices=[("latex", "As tokens"), ("words", "Symbols as English words")],
        help_text="As words, \\int in a formula also matches “integral” in a sentence.",
    )

    ABOUT = "Answers whose words and LaTeX are most similar to the question’s; rare terms count more."
    NAME = "TF-IDF"
    ROLE = Run.PoolRole.ALTERNATE


class LinkedForm(BaselineForm):
    file = forms.FileField(
        label="Questions of the topics",
        help_text="Tab-separated: the topic, and the number of its question on the site or of a known duplicate. Not "
        "needed if the campaign has topic threads.",
    )

    ABOUT = (
        "All answers to questions that moderators marked as duplicates of the topic’s question, ordered by votes. "
        "Participants do not see these links."
    )
    NAME = "Linked posts"

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        self.fields["file"].required = not campaign.topics.exclude(thread_id="").exists()


class TuplesForm(BaselineForm):
    """The options of BM25 and of math tuples, for both formula baselines."""

    k1 = forms.FloatField(
        min_value=0, max_value=10, initial=1.2, label="k1", help_text="The lower, the less repetitions count."
    )
    b = forms.FloatField(
        min_value=0, max_value=1, initial=0.75, label="b", help_text="How much long documents are penalized, 0 to 1."
    )
    location = forms.IntegerField(
        min_value=1,
        max_value=99,
        initial=8,
        label="Longest location",
        help_text="Parts of a formula also match by location if the path to them has fewer nodes. 99: always.",
    )
    anchors = forms.BooleanField(required=False, initial=True, label="Locate from the nearest relation (=, <, …)")
    wildcards = forms.BooleanField(required=False, initial=True, label="Match repeated symbols by any name")


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
        choices=[("all", "All"), ("one", "One: the largest, from the title if possible")],
    )
    field_order = ("name", "pool_role", "alpha", "query")

    ABOUT = "Answers that share words and parts of formulas with the question, ranked by BM25."
    NAME = "Formulas and words"
    ROLE = Run.PoolRole.ALTERNATE


class FormulasForm(TuplesForm):
    instances = forms.IntegerField(
        min_value=1, max_value=1000, initial=5, label="Instances", help_text="At most this many of each formula."
    )
    field_order = ("name", "pool_role", "instances")

    ABOUT = "Visually distinct formulas that share parts with the topic's formula, ranked by BM25."
    NAME = "Formula parts"


FORMS: dict[str, type[BaselineForm]] = {
    "tfidf": TfIdfForm,
    "linked": LinkedForm,
    "tuples": AnswersForm,
    "formulas": FormulasForm,
}


PAGES = {"posts": "collection", "formulas": "collection"}
"""The page on which to import what a baseline needs."""


class BaselineCard(NamedTuple):
    """A baseline on the page: its form, or what it needs first and the page on which to import that."""

    kind: str
    label: str
    form: BaselineForm
    needs: str
    page: str


@campaign_view(ORGANIZER)
def baselines(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A form for each baseline of the task; the submitted one starts a job."""
    frozen = campaign.frozen_pool() is not None
    submitted = request.POST.get("baseline", "")
    cards = [card_of(request, campaign, kind, submitted == kind, frozen) for kind in services.kinds_for(campaign)]
    for card in cards:
        if card.form.is_valid():
            with errors_on(card.form):
                return submit(request, campaign, card)
    context = {
        "campaign": campaign,
        "section": "runs",
        "cards": cards,
        "frozen": frozen,
        "has_topics": campaign.topics.exists(),
        "made": campaign.runs.filter(provenance__has_key="baseline"),
        "job": unfinished(campaign, job_kinds.make_baseline),
    }
    is_refused = any(card.form.errors for card in cards)
    return render(request, "runs/baselines.html", context, status=422 if is_refused else 200)


def card_of(request: HttpRequest, campaign: Campaign, name: str, is_submitted: bool, frozen: bool) -> BaselineCard:
    data, files = (request.POST, request.FILES) if is_submitted else (None, None)
    form = FORMS[name](data, files, campaign=campaign, kind=name, frozen=frozen)
    kind = services.KINDS[name]
    page = PAGES[kind.needs] if campaign.topics.exists() else "topics"
    return BaselineCard(name, kind.label, form, services.unmet_need(campaign, kind), page)


def submit(request: HttpRequest, campaign: Campaign, card: BaselineCard) -> HttpResponse:
    """Start the job, unless the run is to be pooled and the pool is frozen."""
    fields = card.form.cleaned_data
    meta = runs.RunMeta(f"{fields['name']}.tsv", TEAM, pool_role=fields["pool_role"])
    runs.refuse_pooled_if_frozen(campaign, [meta])
    file = {"path": keep_file(fields["file"]), "file": fields["file"].name} if fields.get("file") else {}
    params = {"baseline": card.kind, "name": fields["name"], "pool_role": fields["pool_role"]}
    return start(request, campaign, job_kinds.make_baseline, options=card.form.options, **params, **file)


@require_safe
@campaign_view(ORGANIZER)
def query_formulas(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Download a query formula for each topic."""
    if campaign.is_formulas:
        raise Http404
    return attachment(query_file(services.query_formulas(campaign)), f"{campaign.slug}.query-formulas.tsv")


urlpatterns = [
    path("c/<slug:slug>/baselines/", baselines, name="baselines"),
    path("c/<slug:slug>/baselines/query-formulas.tsv", query_formulas, name="query_formulas"),
]
