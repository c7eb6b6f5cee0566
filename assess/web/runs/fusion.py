"""The page that fuses runs: first choose them, then a method."""

from collections.abc import Iterator, Sequence

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict

from assess.ir.runs.fusion.methods import METHODS, OPTIONS, methods_with, options_of
from assess.ir.runs.fusion.regression import TRAINED
from assess.models import Campaign, Qrels, Run
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.runs import fusion as services
from assess.web.common.doors import campaign_view
from assess.web.common.forms import NameField, form_field
from assess.web.common.jobs import start_job
from assess.web.common.responses import as_number, errors_on, render_form, unfinished

CHOOSE = "choose"
"""In the address after the button was pressed."""


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
    def wanted(self) -> services.Fusion:
        fields = self.cleaned_data
        ordered = sorted(self.chosen, key=lambda run: fields[f"place{run.pk}"])
        given = {name: value for name in OPTIONS if (value := fields.get(name)) or value == 0}
        given |= {"weights": [fields[f"weight{run.pk}"] for run in ordered], "seed": self.campaign.seed}
        taken = {name: given[name] for name in options_of(fields["method"]) if name in given}
        return services.Fusion(fields["name"], fields["method"], [run.pk for run in ordered], taken, fields["release"])


@campaign_view(ORGANIZER)
def fuse(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The runs in the address are chosen; their form starts a job."""
    every = list(services.fusible(campaign).defer("notes", "provenance"))
    keys = {as_number(key) for key in (request.POST or request.GET).getlist("run")}
    chosen = [run for run in every if run.pk in keys]
    form = FuseForm(request.POST or None, campaign=campaign, chosen=chosen)
    if form.is_valid():
        with errors_on(form):
            services.check_fusion(campaign, form.wanted)
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
