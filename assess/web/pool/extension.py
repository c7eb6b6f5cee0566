"""A frozen pool is extended: by late runs, later topics, more depth; first a look at what that would bring."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path

from assess.ir.campaign.presets import LEAST, MOST
from assess.models import Campaign, Job, Pool
from assess.services.common.access import campaign_for
from assess.services.pool import extension, planning
from assess.web.common.forms import errors_on
from assess.web.common.job_start import start
from assess.web.pool.missing import SHOWN, Row
from assess.web.pool.planning import DialForm
from assess.web.pool.pool_summary import Missing, versions_of

ROLES = [("", "Leave out"), ("primary", "Primary depth"), ("alternate", "Alternate depth")]


class ExtendForm(forms.Form):
    """A role for each late run, new depths, a reason."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    reason = forms.CharField(
        required=False, max_length=500, help_text="Kept with the version: who asked for it, what came late."
    )

    def __init__(self, *args: Any, pool: Pool, planned: Mapping[str, int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.depths = pool.rules.sizes
        for name in self.depths:
            now = getattr(pool.rules, name)
            self.fields[name] = forms.IntegerField(
                initial=max(now, planned.get(name, now)),
                min_value=max(now, LEAST[name]),
                max_value=MOST[name],
                help_text=f"Now {now}; it can only grow.",
            )
        self.late = extension.late_runs(pool)
        for run in self.late:
            label = f"{run.name} ({run.team})"
            self.fields[f"run{run.pk}"] = forms.ChoiceField(label=label, choices=ROLES, required=False)
        self.order_fields(["seen", *(f"run{run.pk}" for run in self.late), *self.depths, "reason"])

    @property
    def choices(self) -> str:
        """What was chosen, as the field ``seen`` keeps it while one looks at what it would bring."""
        roles, depths, _ = self.change
        return json.dumps([sorted(roles.items()), sorted(depths.items())])

    @property
    def change(self) -> extension.Change:
        given = self.cleaned_data
        roles = {run.pk: role for run in self.late if (role := given[f"run{run.pk}"])}
        return extension.Change(roles, {name: given[name] for name in self.depths}, given["reason"])


def extend(request: HttpRequest, slug: str) -> HttpResponse:
    """The form; sent with "look" it answers what would come, sent with "extend" a job does it."""
    found = campaign_for(request.user, slug)
    pool = found.current_pool()
    if pool is None or not pool.frozen:
        return redirect("pool", slug)
    form = ExtendForm(request.POST or None, pool=pool, planned=planned_depths(request, pool))
    context: dict[str, Any] = {"campaign": found, "pool": pool, "form": form, "section": "pool"}
    context["versions"] = versions_of(pool)
    context |= {"new_topics": topics_to_come(found, pool), "late": form.late}
    if form.is_valid():
        with errors_on(form):
            if "extend" in request.POST and form.cleaned_data["seen"] == form.choices:
                change = form.change
                params = {"roles": dict(change.roles), "depths": dict(change.depths), "reason": change.reason}
                return start(request, found, Job.Kind.EXTEND, pool=pool.pk, **params)
            context |= looked_at(pool, form.change) | {"changed": "extend" in request.POST}
            form.data = {**request.POST.dict(), "seen": form.choices}
    return render(request, "pool/extend.html", context)


def planned_depths(request: HttpRequest, pool: Pool) -> dict[str, int]:
    """The depths with which the planner leads here; none where somebody comes from elsewhere."""
    form = DialForm(request.GET, rules=pool.rules)
    return planning.sizes(pool.rules, form.at) if form.is_valid() else {}


def looked_at(pool: Pool, change: extension.Change) -> dict[str, Any]:
    """By topic what the change would bring, what it would cost, and which documents would have no text. Raises
    Refused where it would bring nothing."""
    lines = extension.fresh_lines(pool, change, lambda *_: None)
    grown, lacking = extension.growth(lines), extension.without_text(pool, lines)
    missing = [Row(line.topic_id, line.doc_id, post, line.runs, line.votes) for line, post in lacking]
    documents, pace = sum(one.documents for one in grown), planning.pace_of(pool.campaign)
    return {
        "grown": grown,
        "units": sum(one.units for one in grown),
        "documents": documents,
        "pace": pace,
        "hours": planning.hours(documents, pace.seconds),
        "missing": Missing(len({row.document for row in missing}), len({line.doc_id for line in lines})),
        "rows": missing[:SHOWN],
        "count": len(missing),
        "shown": SHOWN,
    }


def topics_to_come(campaign: Campaign, pool: Pool) -> list[str]:
    """Topics that the campaign has and the pool lacks."""
    return list(campaign.topics.exclude(entries__pool=pool).values_list("topic_id", flat=True))


urlpatterns = [path("c/<slug:slug>/pool/extend/", extend, name="pool_extend")]
