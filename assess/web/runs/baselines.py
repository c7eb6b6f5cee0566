"""Pages to make baselines."""

from typing import Any, NamedTuple

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from assess.ir.baselines.formulas import choose_formulas, query_file
from assess.ir.common.options import options_in
from assess.models import Campaign, Run
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.runs import baselines as services
from assess.services.runs import runs
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.forms import NameField, form_field
from assess.web.common.jobs import start_job
from assess.web.common.responses import attachment, errors_on, unfinished


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


class BaselineCard(NamedTuple):
    """A baseline on the page: its form, or what it needs first and the page on which to import that."""

    name: str
    kind: services.Baseline
    form: BaselineForm
    needs: str
    page: str


@campaign_view(ORGANIZER)
def baselines(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A form for each baseline of the task; the submitted one starts a job."""
    frozen = campaign.frozen_pool() is not None
    submitted = request.POST.get("baseline", "")
    cards = []
    for name, kind in services.kinds_for(campaign).items():
        form = BaselineForm(request.POST if submitted == name else None, kind=name, frozen=frozen)
        needs = services.unmet_need(campaign, kind)
        page = "topics" if needs == services.NEEDS_THREADS else "collection"
        cards.append(BaselineCard(name, kind(), form, needs, page))
        if form.is_valid():
            with errors_on(form):
                fields = dict(form.cleaned_data)
                runs.refuse_taken_name(campaign, fields["name"])
                runs.refuse_pooled_if_frozen(campaign, [fields["pool_role"]])
                options = {option: fields.pop(option) for option in form.asked}
                return start_job(request, campaign, job_kinds.make_baseline, baseline=name, options=options, **fields)
    context = {
        "cards": cards,
        "frozen": frozen,
        "has_topics": campaign.topics.exists(),
        "job": unfinished(campaign, job_kinds.make_baseline),
    }
    is_refused = any(card.form.errors for card in cards)
    return render(request, "runs/baselines.html", context, status=422 if is_refused else 200)


@campaign_page(ORGANIZER)
def download_query_formulas(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Download a query formula for each topic, for engines that search by formula only."""
    if campaign.is_formulas:
        raise Http404
    chosen = choose_formulas(services.topic_rows(campaign), campaign.seed)
    return attachment(query_file(chosen), f"{campaign.slug}.query-formulas.tsv")
