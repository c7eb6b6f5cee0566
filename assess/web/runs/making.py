"""Pages that make runs: baselines, and one run of several."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from assess.ir.baselines.formulas import choose_formulas, query_file
from assess.ir.common.options import options_in
from assess.ir.runs.fusion.methods import METHODS, OPTIONS, methods_with, options_of
from assess.ir.runs.fusion.regression import TRAINED
from assess.models import Campaign, Qrels, Run
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.runs import baselines as services
from assess.services.runs import fusion, runs
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.forms import NameField, form_field
from assess.web.common.jobs import start_job
from assess.web.common.responses import as_number, attachment, errors_on, render_form, unfinished

CHOOSE = "choose"
"""In the address after the button that chooses runs was pressed."""


class BaselineForm(forms.Form):
    """A name, a pool role, and the options of one kind of baseline."""

    name = NameField()
    pool_role = forms.ChoiceField(choices=Run.PoolRole.choices, help_text="How deep the run is pooled.")

    def __init__(self, data: Any, *, kind: str, frozen: bool) -> None:
        made = services.KINDS[kind]
        initial = {"name": made.name, "pool_role": Run.PoolRole.NONE if frozen else made.role}
        super().__init__(data, prefix=kind, initial=initial)
        self.asked = options_in(made)
        self.fields |= {name: form_field(option, required=True) for name, option in self.asked.items()}


@campaign_view(ORGANIZER)
def baselines(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A form for each baseline of the task, or what it needs first and where to import that; a form starts a job."""
    frozen = campaign.frozen_pool() is not None
    submitted = request.POST.get("baseline", "")
    cards: list[dict[str, Any]] = []
    for name, kind in services.kinds_for(campaign).items():
        form = BaselineForm(request.POST if submitted == name else None, kind=name, frozen=frozen)
        needs = services.unmet_need(campaign, kind)
        page = "topics" if needs == services.NEEDS_THREADS else "collection"
        cards.append({"name": name, "kind": kind(), "form": form, "needs": needs, "page": page})
        if form.is_valid():
            with errors_on(form):
                fields = dict(form.cleaned_data)
                runs.refuse_taken_name(campaign, fields["name"])
                runs.refuse_pooled_if_frozen(campaign, [fields["pool_role"]])
                options = {option: fields.pop(option) for option in form.asked}
                return start_job(request, campaign, job_kinds.make_baseline, baseline=name, options=options, **fields)
    is_refused = any(card["form"].errors for card in cards)
    context = {
        "cards": cards,
        "frozen": frozen,
        "has_topics": campaign.topics.exists(),
        "job": unfinished(campaign, job_kinds.make_baseline),
    }
    return render(request, "runs/baselines.html", context, status=422 if is_refused else 200)


@campaign_page(ORGANIZER)
def download_query_formulas(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Download a query formula for each topic, for engines that search by formula only."""
    if campaign.is_formulas:
        raise Http404
    chosen = choose_formulas(services.topic_rows(campaign), campaign.seed)
    return attachment(query_file(chosen), f"{campaign.slug}.query-formulas.tsv")


class FuseForm(forms.Form):
    """The method with its options (others are ignored), and the place and weight of each chosen run."""

    name = NameField(initial="Fused")
    method = forms.ChoiceField(
        choices=[(name, kind.label) for name, kind in METHODS.items()], initial="rrf", widget=forms.RadioSelect
    )
    release = forms.TypedChoiceField(required=False, coerce=int, empty_value=None, label="Trained on")

    def __init__(self, data: QueryDict | None, *, campaign: Campaign, chosen: Sequence[Run]) -> None:
        super().__init__(data)
        self.campaign = campaign
        self.chosen = chosen
        self.fields |= {name: form_field(option, required=False) for name, option in OPTIONS.items() if option.label}
        releases = Qrels.objects.of(campaign).values_list("version", flat=True)
        self.fields["release"].choices = [(version, f"Release {version}") for version in releases]  # type: ignore[attr-defined]
        for place, run in enumerate(chosen, start=1):
            self.fields[f"place{run.pk}"] = forms.IntegerField(initial=place, min_value=1, label=f"Place of {run}")
            self.fields[f"weight{run.pk}"] = forms.FloatField(initial=1, min_value=0, label=f"Weight of {run}")

    @property
    def runs(self) -> list[tuple[Run, forms.BoundField, forms.BoundField]]:
        """The chosen runs with their fields."""
        return [(run, self[f"place{run.pk}"], self[f"weight{run.pk}"]) for run in self.chosen]

    @property
    def options(self) -> Iterator[tuple[forms.BoundField, str]]:
        """The other fields, each with the methods that take it."""
        yield self["release"], TRAINED
        for name in filter(self.fields.__contains__, OPTIONS):
            yield self[name], " ".join(methods_with(name))

    @property
    def wanted(self) -> fusion.Fusion:
        fields = self.cleaned_data
        ordered = sorted(self.chosen, key=lambda run: fields[f"place{run.pk}"])
        given = {name: value for name in OPTIONS if (value := fields.get(name)) or value == 0}
        given |= {"weights": [fields[f"weight{run.pk}"] for run in ordered], "seed": self.campaign.seed}
        taken = {name: given[name] for name in options_of(fields["method"]) if name in given}
        return fusion.Fusion(fields["name"], fields["method"], [run.pk for run in ordered], taken, fields["release"])


@campaign_view(ORGANIZER)
def fuse(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The runs in the address are chosen; their form starts a job."""
    every = list(fusion.fusible(campaign).defer("notes", "provenance"))
    keys = {as_number(key) for key in (request.POST or request.GET).getlist("run")}
    chosen = [run for run in every if run.pk in keys]
    form = FuseForm(request.POST or None, campaign=campaign, chosen=chosen)
    if form.is_valid():
        with errors_on(form):
            fusion.check_fusion(campaign, form.wanted)
            return start_job(request, campaign, job_kinds.fuse_runs, **form.wanted._asdict())
    context = {
        "form": form,
        "every": every,
        "chosen": chosen,
        "is_short": CHOOSE in request.GET and len(chosen) < 2,
        "methods": list(zip(form["method"], METHODS.values(), strict=True)),
        "job": unfinished(campaign, job_kinds.fuse_runs),
    }
    return render_form(request, "runs/fuse.html", context)
