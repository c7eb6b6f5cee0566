"""The page to extend a frozen pool: first a preview, then a job."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from assess.ir.campaign.protocol import OPTIONS
from assess.models import Campaign, Pool
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER
from assess.services.pool import extension, planning
from assess.web.common.doors import campaign_view
from assess.web.common.jobs import start_job
from assess.web.common.responses import errors_on, render_form

ROLES = [("", "Leave out"), ("primary", "Primary depth"), ("alternate", "Alternate depth")]


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
