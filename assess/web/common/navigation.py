"""The menu of a campaign: its pages in groups, by what people do there."""

from typing import Any, NamedTuple

from django import template
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from assess.models import Campaign
from assess.services.common.access import EVERYONE, ORGANIZER, STAFF

register = template.Library()


class Page(NamedTuple):
    """A page by the name of its address, and who sees it."""

    name: str
    label: str | Promise
    roles: tuple[str, ...] = ORGANIZER


GROUPS: tuple[tuple[str | Promise, tuple[Page, ...]], ...] = (
    (_("Overview"), (Page("campaign", _("Overview"), EVERYONE),)),
    (
        _("Set-up"),
        (
            Page("topics", _("Topics"), STAFF),
            Page("collection", _("Collection")),
            Page("formulas", _("Formulas")),
            Page("runs", _("Runs")),
            Page("pool", _("Pool")),
            Page("judgment_sources", _("Other judgments")),
        ),
    ),
    (
        _("People"),
        (
            Page("members", _("Members")),
            Page("assignments", _("Assignments")),
            Page("rounds", _("Rounds"), STAFF),
            Page("guidelines", _("Guidelines"), EVERYONE),
            Page("history", _("History")),
        ),
    ),
    (
        _("Judging"),
        (
            Page("progress", _("Progress"), STAFF),
            Page("questions", _("Questions")),
            Page("outcomes", _("Outcomes")),
            Page("agreement", _("Agreement"), STAFF),
            Page("written_report", _("Written answers"), STAFF),
        ),
    ),
    (
        _("Results"),
        (
            Page("topic_set", _("Topic set"), STAFF),
            Page("releases", _("Releases"), STAFF),
            Page("results", _("Scores")),
            Page("reliability", _("Reliability")),
            Page("statistics", _("Statistics"), STAFF),
        ),
    ),
)


class Link(NamedTuple):
    """A link of the menu; ``waiting`` counts what waits there for an organizer."""

    label: str | Promise
    address: str
    is_current: bool
    waiting: int


class Group(NamedTuple):
    """A group leads to its first page. A group of one page is that page."""

    link: Link
    pages: list[Link]


def is_shown(page: Page, campaign: Any) -> bool:
    """Whether the person's role and the rules of the campaign have this page."""
    by_rules = {"formulas": campaign.is_formulas, "written_report": campaign.rules.written}
    return campaign.role in page.roles and by_rules.get(page.name, True)


def groups(campaign: Campaign, here: str) -> list[Group]:
    """The menu for the person for whom the campaign was looked up, at the page ``here``."""
    waiting = {"questions": getattr(campaign, "open_questions", 0)}
    shown = []
    for label, pages in GROUPS:
        links = [
            Link(page.label, reverse(page.name, args=[campaign.slug]), page.name == here, waiting.get(page.name, 0))
            for page in pages
            if is_shown(page, campaign)
        ]
        if len(links) == 1:
            shown.append(Group(links[0], []))
        elif links:
            is_current, count = any(link.is_current for link in links), sum(link.waiting for link in links)
            shown.append(Group(Link(label, links[0].address, is_current, count), links))
    return shown


@register.inclusion_tag("common/campaign_nav.html", takes_context=True)
def campaign_nav(context: template.Context) -> dict[str, object]:
    """The menu. A view sets ``section`` if the menu has its page under another name than its address."""
    match = context["request"].resolver_match
    campaign = context["campaign"]
    here = context.get("section") or (match.url_name if match else "")
    return {"groups": groups(campaign, here) if getattr(campaign, "role", "") else []}
