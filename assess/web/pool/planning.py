"""The plan of a pool: what it would be and cost with other depths, and what each run would bring in; the report on one;
and the page to extend a frozen one, by a preview and then a job."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from assess.ir.campaign.protocol import OPTIONS, Protocol
from assess.ir.common.figures import percent
from assess.models import Campaign, Member, Pool
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.pool import extension, planning
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.jobs import start_job
from assess.web.common.responses import errors_on, number_in, render_form

LONGEST = 3600
"""The most seconds for one judgment."""
ROLES = [("", "Leave out"), ("primary", "Primary depth"), ("alternate", "Alternate depth")]


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
    planned = [topic["topic_id"] for topic in plan.topics]
    names = [run.name for run, *_ in plan.runs]
    shares = [["—" if share is None else f"{100 * share:.0f}" for share in line] for line in plan.overlap]
    for row in plan.costs:
        hours = row["documents"] * values["seconds"] / 3600
        each = hours / values["assessors"] if values["assessors"] else None  # unless nobody judges
        row |= {"hours": hours, "each": each, "is_protocol": row["sizes"] == planning.sizes_of(campaign.rules)}
    return plan._asdict() | {
        "sizes": sizes,
        "uncovered": campaign.topics.exclude(topic_id__in=planned).values_list("topic_id", flat=True),
        "short": sum(not contribution.is_judged for *_, contribution in plan.runs),
        "empty": [run.name for run, _, contribution in plan.runs if not contribution.top],
        "names": names,
        "overlap": list(zip(names, shares, strict=True)),
    }


@campaign_page(ORGANIZER)
def pool_report(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pool = get_object_or_404(campaign.pools, version=number_in(request.GET, "report_on"))
    report = planning.report_on_pool(pool)
    context = report._asdict() | {
        "pool": pool,
        "mean": report.units / report.topics if report.topics else 0,
        "crowded_percent": percent(report.crowded, report.units),
        "failed": sum(not is_met for _, is_met, _ in report.checks),
    }
    return render(request, "pool/report.html", context)


class ExtendForm(forms.Form):
    reason = forms.CharField(
        required=False, max_length=500, help_text="Stored with the version: who asked for it, what came late."
    )

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.depths = pool.rules.sizes
        for name in self.depths:
            current = getattr(pool.rules, name)
            self.fields[name] = forms.IntegerField(
                initial=current,
                min_value=max(current, OPTIONS[name].least or 0),
                max_value=int(OPTIONS[name].most or 0),
                help_text=f"Now {current}; it can only grow.",
            )
        self.late = extension.late_runs(pool)
        for run in self.late:
            label = f"{run.name} ({run.team}{', withdrawn' if run.withdrawn else ''})"
            self.fields[f"run{run.pk}"] = forms.ChoiceField(label=label, choices=ROLES, required=False)
        self.order_fields([*(f"run{run.pk}" for run in self.late), *self.depths, "reason"])

    @property
    def change(self) -> extension.Extension:
        fields = self.cleaned_data
        roles = {run.pk: role for run in self.late if (role := fields[f"run{run.pk}"])}
        return extension.Extension(roles, {name: fields[name] for name in self.depths}, fields["reason"])


@campaign_view(ORGANIZER)
def extend(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The form, which first shows a preview; that is submitted again with "extend", which starts a job."""
    pool = campaign.current_pool()
    if pool is None or not pool.frozen:
        return redirect("pool", campaign.slug)
    form = ExtendForm(request.POST or None, pool=pool)
    new_topics = campaign.topics.exclude(entries__pool=pool).values_list("topic_id", flat=True)
    context: dict[str, Any] = {"pool": pool, "form": form, "new_topics": list(new_topics), "late": form.late}
    if form.is_valid():
        if "extend" in request.POST:
            return start_job(request, campaign, job_kinds.extend_pool, pool=pool.pk, **form.change._asdict())
        with errors_on(form):
            context |= preview_extension(pool, form.change)
    return render_form(request, "pool/extend.html", context)


def preview_extension(pool: Pool, change: extension.Extension) -> dict[str, Any]:
    """What the extension would add, what it would cost, and how much has no text. Raises Refused if it adds nothing."""
    lines = extension.new_lines(pool, change, lambda *_: None)
    units, pace = {(line.topic_id, line.unit_id) for line in lines}, planning.estimate_pace(pool.campaign)
    return {
        "topics": len({topic for topic, _ in units}),
        "units": len(units),
        "documents": len(lines),
        "pace": pace,
        "hours": len(lines) * pace.seconds / 3600,
        "missing": extension.missing_in(pool, lines),
    }
