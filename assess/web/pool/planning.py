"""The plan of a pool: what it would be and cost with other depths, and what each run would bring in; and the report on
one."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from assess.ir.campaign.protocol import OPTIONS, Protocol
from assess.ir.common.figures import percent
from assess.models import Campaign, Member
from assess.services.common.access import ORGANIZER
from assess.services.pool import planning
from assess.web.common.doors import campaign_page
from assess.web.common.responses import number_in, render_form

LONGEST = 3600
"""The most seconds for one judgment."""


class PlanForm(forms.Form):
    """The depths of a pool, or the units of each topic: the fields of its protocol; and what a judgment takes."""

    seconds = forms.FloatField(
        min_value=0.1, max_value=LONGEST, label="Seconds per judgment", widget=forms.NumberInput({"step": "any"})
    )
    assessors = forms.IntegerField(min_value=1, max_value=1000, required=False)

    def __init__(self, *args: Any, rules: Protocol, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in rules.sizes:
            label = "Units of each topic" if name == "pool_size" else None
            self.fields[name] = forms.IntegerField(min_value=1, max_value=int(OPTIONS[name].most or 0), label=label)
        self.order_fields(rules.sizes)


@campaign_page(ORGANIZER)
def pool_plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pace = planning.estimate_pace(campaign)
    judges = campaign.members.filter(role__in=[Member.Role.ASSESSOR, Member.Role.EXPERT]).count()
    initial = planning.sizes_of(campaign.rules) | {"seconds": pace.seconds, "assessors": judges or None}
    form = PlanForm(initial | request.GET.dict(), rules=campaign.rules)
    context = {
        "pool": campaign.frozen_pool(),
        "has_topics": campaign.topics.exists(),
        "form": form,
        "pace": pace,
        "judges": judges,
    }
    if context["has_topics"] and campaign.pooled_runs().exists():
        context |= plan_context(campaign, form.cleaned_data if form.is_valid() else initial)
    return render_form(request, "pool/plan.html", context)


def plan_context(campaign: Campaign, values: dict[str, Any]) -> dict[str, Any]:
    sizes = {name: values[name] for name in campaign.rules.sizes}
    plan = planning.plan_pool(campaign, sizes)
    planned = {topic.topic_id for topic in plan.topics}
    topics = campaign.topics.values_list("topic_id", flat=True)
    names = [run.name for run, *_ in plan.runs]
    shares = [["—" if share is None else f"{100 * share:.0f}" for share in line] for line in plan.overlap]
    return {
        "sizes": sizes,
        "costs": [cost_of(campaign, row, values) for row in plan.rows],
        "topics": plan.topics,
        "uncovered": [topic_id for topic_id in topics if topic_id not in planned],
        "runs": plan.runs,
        "short": sum(not contribution.is_judged for *_, contribution in plan.runs),
        "empty": [run.name for run, _, contribution in plan.runs if not contribution.top],
        "teams": plan.teams,
        "names": names,
        "overlap": list(zip(names, shares, strict=True)),
    }


def cost_of(campaign: Campaign, row: planning.PlannedSize, values: dict[str, Any]) -> dict[str, Any]:
    """How much there is to judge. ``each``: the hours of each assessor, None if nobody judges."""
    hours = row.documents * values["seconds"] / 3600
    return row._asdict() | {
        "hours": hours,
        "each": hours / values["assessors"] if values["assessors"] else None,
        "is_protocol": row.sizes == planning.sizes_of(campaign.rules),
    }


@campaign_page(ORGANIZER)
def pool_report(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pool = get_object_or_404(campaign.pools, version=number_in(request.GET, "report_on"))
    report = planning.report_on_pool(pool)
    context = report._asdict() | {
        "pool": pool,
        "mean": report.units / report.topics if report.topics else 0,
        "crowded_percent": percent(report.crowded, report.units),
        "failed": sum(not check.is_met for check in report.checks),
    }
    return render(request, "pool/report.html", context)
