"""The page of what was judged of each topic, and which topics make the test set."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.releases.release_options import KINDS, RULE
from assess.models import Campaign
from assess.services.common.access import ORGANIZER, STAFF
from assess.services.releases import topic_set as service
from assess.web.common.doors import campaign_view
from assess.web.common.forms import errors_on
from assess.web.common.responses import person, tell_done


class KindForm(forms.Form):
    """The ticked topics, and what they are to be."""

    topics = forms.MultipleChoiceField(error_messages={"required": "Tick at least one topic."})
    kind = forms.ChoiceField(choices=[("", "By the rule"), *KINDS.items()], required=False, label="Treat as")
    reason = forms.CharField(max_length=500, required=False, help_text="Required if you decide against the rule.")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ids = campaign.topics.values_list("topic_id", flat=True)
        self.fields["topics"].choices = [(topic, topic) for topic in ids]  # type: ignore[attr-defined]


@require_http_methods(["GET", "HEAD", "POST"])
@campaign_view(STAFF, changes=ORGANIZER)
def topic_set(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Counts by topic; organizers can choose the kind of topics."""
    form = KindForm(request.POST or None, campaign=campaign)
    if form.is_valid():
        with errors_on(form, "reason"):
            tell_done(request, service.choose_kind(campaign, **form.cleaned_data, by=person(request)))
            return redirect("topic_set", campaign.slug)
    pool = campaign.frozen_pool()
    rows, show = service.count_topics(campaign, pool), request.GET.get("kind", "")
    context = {
        "campaign": campaign,
        "pool": pool,
        "form": form,
        "ticked": form.data.getlist("topics") if form.errors else [],  # type: ignore[attr-defined]
        "rule": RULE,
        "min_relevant": (pool or campaign).rules.min_relevant,
        "kinds": [(kind, name, sum(row.kind == kind for row in rows)) for kind, name in KINDS.items()],
        "show": show,
        "has_sheet": any(getattr(row.topic, column) for row in rows for column in COLUMNS),
        "rows": [row for row in rows if show in ("", row.kind)],
    }
    return render(request, "releases/topic_set.html", context, status=422 if form.errors else 200)


urlpatterns = [path("c/<slug:slug>/topic-set/", topic_set, name="topic_set")]
