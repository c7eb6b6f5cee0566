"""The pool planner: what each depth costs and what each run brings in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.core.validators import MaxValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from assess.ir.campaign.presets import DEPTHS, PRESETS, UNITS, Protocol
from assess.ir.pool.planning import Dials, dials
from assess.models import Campaign, Job, Member
from assess.models.run import LOW_COVERAGE
from assess.services.campaign import campaigns
from assess.services.common.access import campaign_for
from assess.services.common.wording import listed
from assess.services.pool import planning
from assess.web.campaign.forms import pooling_rule
from assess.web.common.forms import render_form
from assess.web.common.job_start import start
from assess.web.common.responses import refusals, unfinished
from assess.web.pool.reports import coverage_of

STEPS = (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 150, 200, 250, 300)
"""The settings in the table; the chart has all."""
SHADES = 10
"""Shades of color for overlaps."""
LONGEST = 3600
"""The most seconds for one judgment."""


class DialForm(forms.Form):
    primary = forms.IntegerField(min_value=1, label="Primary depth")
    alternate = forms.IntegerField(min_value=1, label="Alternate depth")

    def __init__(self, *args: Any, rules: Protocol, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if rules.sizes == UNITS:
            del self.fields["alternate"]
            self.fields["primary"].label = "Units of each topic"
        for name in ("primary", "alternate"):
            if name in self.fields:
                top = getattr(planning.most(rules), name)
                self.fields[name].validators.append(MaxValueValidator(top))
                self.fields[name].widget.attrs["max"] = top

    @property
    def at(self) -> Dials:
        return Dials(self.cleaned_data["primary"], self.cleaned_data.get("alternate", 0))


class PlanForm(DialForm):
    seconds = forms.FloatField(
        min_value=0.1, max_value=LONGEST, label="Seconds per judgment", widget=forms.NumberInput({"step": "any"})
    )
    assessors = forms.IntegerField(min_value=1, max_value=1000, required=False)


class ProtocolCost(NamedTuple):
    """The cost of the pool by a protocol."""

    name: str
    how: str
    units: int
    documents: int
    is_ours: bool


class SettingRow(NamedTuple):
    """A row of the table of settings. ``cells``: for each dial the units, and how many of them the last step added."""

    setting: int
    cells: list[tuple[int, int]]
    is_current: bool


@require_safe
def pool_plan(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    stored, rules, has_topics = planning.find(campaign), campaign.rules, campaign.topics.exists()
    context: dict[str, Any] = {
        "campaign": campaign,
        "section": "pool",
        "rules": rules,
        "pool": campaign.frozen_pool(),
        "stored": stored,
        "is_outdated": planning.is_outdated(campaign),
        "has_topics": has_topics,
        "can_plan": has_topics and campaign.runs.pooled().exists(),
        "running": unfinished(campaign, Job.Kind.PLAN),
    }
    if stored is None:
        return render(request, "pool/plan.html", context)
    pace = planning.estimate_pace(campaign)
    values = initial = initial_values(campaign, pace)
    form = PlanForm(initial | request.GET.dict(), rules=rules)
    if form.is_valid():
        values = form.cleaned_data
    context |= {"form": form, "pace": pace, "deepest": planning.most(rules).primary}
    context |= figures(campaign, stored, Dials(values["primary"], values.get("alternate", 0)))
    hours = planning.hours(context["documents"], values["seconds"])
    context |= {"hours": hours, "hours_each": hours / values["assessors"] if values["assessors"] else None}
    context["judges"] = initial["assessors"]
    return render_form(request, "pool/plan.html", context)


def initial_values(campaign: Campaign, pace: planning.PaceEstimate) -> dict[str, Any]:
    """The protocol's settings, the measured or assumed pace, and the number of members who can judge, None if there are
    none."""
    judges = campaign.members.filter(role__in=[Member.Role.ASSESSOR, Member.Role.EXPERT]).count()
    at = planning.current(campaign.rules)._asdict()
    return at | {"seconds": pace.seconds, "assessors": judges or None}


def figures(campaign: Campaign, stored: planning.StoredPlan, at: Dials) -> dict[str, Any]:
    """The context of the page for a setting."""
    about, rules = stored.about, campaign.rules
    pool = planning.planned_pool(campaign, stored, at)
    runs = [run | {"coverage": coverage_of(run)} for run in about["runs"]]
    names = [run["name"] for run in runs]
    topics = [topic for topic in pool.topics if topic.units]
    return {
        "at": at,
        "units": about["units"][at.primary][at.alternate],
        "documents": about["documents"][at.primary][at.alternate],
        "topics": topics,
        "uncovered": [topic.topic_id for topic in pool.topics if not topic.units],
        "spread": planning.spread(topic.units for topic in topics),
        "runs": list(zip(runs, pool.runs, strict=True)),
        "short": sum(not run.is_judged for run in pool.runs),
        "empty": [run.name for run in pool.runs if not run.top],
        "low": list(low_coverage(runs)) if campaign.is_formulas else [],
        "teams": pool.teams,
        "names": names,
        "overlap": list(zip(names, shaded(pool.overlap), strict=True)),
        "presets": list(protocol_costs(rules, stored)),
        "settings": list(setting_rows(stored, rules, at)),
        "is_capped": planning.current(rules) != dials(rules),
        "is_protocol": at == planning.current(rules),
        "data": {name: about[name] for name in ("units", "documents")} | {"at": at._asdict()},
    }


def low_coverage(runs: list[dict[str, Any]]) -> Iterator[str]:
    """Runs with many formulas that are not in the index, which cannot be pooled and are not counted."""
    for run in runs:
        if run["coverage"] is not None and run["coverage"] < 100 * LOW_COVERAGE:
            yield f"{run['name']} ({run['known']:,} of {run['documents']:,})"


def protocol_costs(rules: Protocol, stored: planning.StoredPlan) -> Iterator[ProtocolCost]:
    """The campaign's own protocol, then the presets for its task."""
    at = planning.current(rules)
    about = stored.about
    units, documents = (about[name][at.primary][at.alternate] for name in ("units", "documents"))
    yield ProtocolCost("This campaign", pooling_rule(rules), units, documents, True)
    for row in about["presets"]:
        yield ProtocolCost(row["preset"], pooling_rule(PRESETS[row["preset"]]), row["units"], row["documents"], False)


def setting_rows(stored: planning.StoredPlan, rules: Protocol, at: Dials) -> Iterator[SettingRow]:
    """The units at each setting of one dial if the other stays."""
    units = stored.about["units"]
    columns = [[row[at.alternate] for row in units]]
    if rules.sizes == DEPTHS:
        columns.append(units[at.primary])
    for step in sorted({*STEPS, *at} - {0}):
        if step < len(units):
            cells = [(column[step], column[step] - column[step - 1]) for column in columns]
            yield SettingRow(step, cells, step in at)


def shaded(overlap: list[list[float | None]]) -> list[list[tuple[str, str]]]:
    """Whole percentages with their shades; empty for a run with itself. All are text, which is faster to render: a
    large lab has thousands of them."""
    return [
        [("" if row == column else as_text(share), shade(share)) for column, share in enumerate(line)]
        for row, line in enumerate(overlap)
    ]


def shade(share: float | None) -> str:
    return str(int((SHADES - 1) * (share or 0)))


def as_text(share: float | None) -> str:
    return "—" if share is None else f"{100 * share:.0f}"


@require_POST
def pool_plan_make(request: HttpRequest, slug: str) -> HttpResponse:
    return start(request, campaign_for(request.user, slug), Job.Kind.PLAN)


@require_POST
def pool_plan_use(request: HttpRequest, slug: str) -> HttpResponse:
    """Put a setting into the protocol."""
    campaign = campaign_for(request.user, slug)
    form = DialForm(request.POST, rules=campaign.rules)
    if not form.is_valid():
        messages.error(request, "Not changed: these depths are not possible.")
        return redirect("pool_plan", slug)
    rules = planning.sizes(campaign.rules, form.at)
    new = listed(f"{name.replace('_', ' ')} {size:,}" for name, size in rules.items())
    with refusals(request, f"Protocol changed: {new}."):
        campaigns.update(campaign, name=campaign.name, edition=campaign.edition, seed=campaign.seed, rules=rules)
    return redirect(f"{reverse('pool_plan', args=[slug])}?{urlencode(form.cleaned_data)}")


urlpatterns = [
    path("c/<slug:slug>/pool/plan/", pool_plan, name="pool_plan"),
    path("c/<slug:slug>/pool/plan/make/", pool_plan_make, name="pool_plan_make"),
    path("c/<slug:slug>/pool/plan/use/", pool_plan_use, name="pool_plan_use"),
]
