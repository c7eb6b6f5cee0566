"""The page of statistics for the lab's paper, with its tables as files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from assess.ir.formats.latex import DECIMALS
from assess.models import Campaign
from assess.services.common.access import STAFF
from assess.services.releases.topic_set import Statistics, campaign_statistics
from assess.web.common.doors import campaign_view
from assess.web.common.files import FileTable, as_attachment

BY_TOPIC = ("By topic", "Topics", "Mean", "Most", "in topic", "Fewest", "in topic")
BY_CATEGORY = ("Category", "Topics", "High", "Medium", "Low", "Not relevant")


@require_safe
@campaign_view(STAFF)
def statistics(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    sizes = campaign_statistics(campaign)
    context = {
        "campaign": campaign,
        "shown": sizes,
        "by_topic": BY_TOPIC,
        "by_category": BY_CATEGORY,
        "chart": chart_data(sizes) if sizes else [],
    }
    return render(request, "releases/statistics.html", context)


def chart_data(sizes: Statistics) -> list[dict[str, object]]:
    """Units by topic and grade, as far as they are relevant at all: a bar for each topic."""
    return [
        {"topic": row.topic.topic_id, "kind": kind, "count": count}
        for row in sizes.topics
        for kind, count in (("H+M", row.counts.hm_units), ("L", row.counts.hml_units - row.counts.hm_units))
    ]


@require_safe
@campaign_view(STAFF)
def statistics_file(request: HttpRequest, campaign: Campaign, file_format: str) -> HttpResponse:
    """Both tables of the page, and the single figures, as CSV or LaTeX."""
    sizes = campaign_statistics(campaign)
    if sizes is None:
        raise Http404
    tables = [
        FileTable(BY_TOPIC, sizes.spreads, f"{campaign}: sizes by topic of the test set.", DECIMALS),
        FileTable(("Figure", "Value"), single_figures(sizes), f"{campaign}: single figures.", DECIMALS),
        FileTable(BY_CATEGORY, sizes.categories, f"{campaign}: judgments by category of topic and grade.", DECIMALS),
    ]
    return as_attachment(tables, f"{campaign.slug}.statistics", file_format)


def single_figures(sizes: Statistics) -> list[tuple[str, object]]:
    """The single figures, with their names."""
    return [
        ("Topics in the test set", len(sizes.topics)),
        ("Topics removed", len(sizes.removed)),
        ("Highest possible P'@10", sizes.highest),
        ("Active seconds per judgment, mean", sizes.mean_seconds),
        ("Active seconds per judgment, median", sizes.median_seconds),
    ]


urlpatterns = [
    path("c/<slug:slug>/statistics/", statistics, name="statistics"),
    path("c/<slug:slug>/statistics.<slug:file_format>", statistics_file, name="statistics_file"),
]
