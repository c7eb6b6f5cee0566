"""The page of what was judged of each topic, and which topics make the test set; statistics for the lab's paper."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from assess.ir.campaign.protocol import Protocol
from assess.ir.formats.latex import DECIMALS
from assess.ir.formats.topic_sheet import COLUMNS
from assess.ir.releases.release_options import KINDS
from assess.models import Campaign
from assess.services.common.access import ORGANIZER, STAFF
from assess.services.releases import topic_set as service
from assess.web.common.doors import campaign_page, campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.responses import errors_on, person, tell_done

BY_TOPIC = ("By topic", "Topics", "Mean", "Most", "in topic", "Fewest", "in topic")


class KindForm(forms.Form):
    """The ticked topics, and what they are to be."""

    topics = forms.MultipleChoiceField(error_messages={"required": "Tick at least one topic."})
    kind = forms.ChoiceField(choices=[("", "By the rule"), *KINDS.items()], required=False, label="Treat as")
    reason = forms.CharField(max_length=500, required=False, help_text="Required if you decide against the rule.")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ids = campaign.topics.values_list("topic_id", flat=True)
        self.fields["topics"].choices = [(topic, topic) for topic in ids]  # type: ignore[attr-defined]


@campaign_view(STAFF, changes=ORGANIZER, section="topic_set")
def topic_set(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = KindForm(request.POST or None, campaign=campaign)
    if form.is_valid():
        with errors_on(form, "reason"):
            tell_done(request, service.choose_kind(campaign, **form.cleaned_data, by=person(request)))
            return redirect(request.get_full_path())
    pool = campaign.frozen_pool()
    rules = (pool or campaign).rules
    rows, show = service.count_topics(campaign, pool), request.GET.get("kind", "")
    context = {
        "pool": pool,
        "form": form,
        "ticked": form.data.getlist("topics") if form.errors else [],  # type: ignore[attr-defined]
        "rules": rules,
        "positive": rules.label_from(rules.least_positive) if rules.partial_label else "",
        "kinds": [(kind, name, sum(row.kind == kind for row in rows)) for kind, name in KINDS.items()],
        "show": show,
        "has_sheet": any(getattr(row.topic, column) for row in rows for column in COLUMNS),
        "rows": [row for row in rows if show in ("", row.kind)],
    }
    return render(request, "releases/topic_set.html", context, status=422 if form.errors else 200)


@campaign_page(STAFF, section="statistics")
def statistics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    sizes = service.campaign_statistics(campaign)
    context = {
        "shown": sizes,
        "by_topic": BY_TOPIC,
        "by_category": by_category(campaign.rules),
        "has_categories": sizes is not None and any(row.topic.category for row in sizes.topics),
        "chart": chart_data(campaign.rules, sizes) if sizes else [],
    }
    return render(request, "releases/statistics.html", context)


def by_category(rules: Protocol) -> tuple[str, ...]:
    names = {} if rules.rule_of_grades == "sum" else rules.names
    return ("Category", "Topics", *(names.get(str(value), str(value)) for value in rules.counted_values))


def chart_data(rules: Protocol, sizes: service.Statistics) -> list[dict[str, object]]:
    """Units by topic and grade, as far as they are relevant at all: a bar for each topic."""
    return [
        {"topic": row.topic.topic_id, "kind": kind, "count": count}
        for row in sizes.topics
        for kind, count in (
            (rules.relevant_label, row.counts.hm_units),
            (rules.partial_label, row.counts.hml_units - row.counts.hm_units),
        )
        if kind
    ]


@campaign_page(STAFF)
def statistics_file(request: HttpRequest, campaign: Campaign, file_format: str) -> HttpResponse:
    """Both tables of the page, and the single figures, as CSV or LaTeX."""
    sizes = service.campaign_statistics(campaign)
    if sizes is None:
        raise Http404
    single_figures = [
        ("Topics in the test set", len(sizes.topics)),
        ("Topics removed", len(sizes.removed)),
        ("Highest possible P'@10", sizes.highest),
        ("Active seconds per judgment, mean", sizes.mean_seconds),
        ("Active seconds per judgment, median", sizes.median_seconds),
    ]
    tables = (
        (BY_TOPIC, sizes.spreads, "sizes by topic of the test set"),
        (("Figure", "Value"), single_figures, "single figures"),
        (by_category(campaign.rules), sizes.categories, "judgments by category of topic and grade"),
    )
    made = [FileTable(header, rows, f"{campaign}: {about}.", DECIMALS) for header, rows, about in tables]
    return as_attachment(made, f"{campaign.slug}.statistics", file_format)
