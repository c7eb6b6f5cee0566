"""The menu of a campaign: its pages in groups, by what people do there."""

from functools import cache
from typing import Any, NamedTuple

from django import template
from django.urls import resolve, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from assess.models import Campaign
from assess.web.common.doors import Roles

register = template.Library()


GROUPS: tuple[tuple[str | Promise, dict[str, str | Promise]], ...] = (
    (_("Overview"), {"campaign": _("Overview")}),
    (
        _("Set-up"),
        {
            "topics": _("Topics"),
            "collection": _("Collection"),
            "formulas": _("Formulas"),
            "runs": _("Runs"),
            "pool": _("Pool"),
            "judgment_sources": _("Other judgments"),
        },
    ),
    (
        _("People"),
        {
            "members": _("Members"),
            "assignments": _("Assignments"),
            "rounds": _("Rounds"),
            "guidelines": _("Guidelines"),
            "history": _("History"),
        },
    ),
    (
        _("Judging"),
        {
            "progress": _("Progress"),
            "questions": _("Questions"),
            "outcomes": _("Outcomes"),
            "agreement": _("Agreement"),
            "written_report": _("Written answers"),
        },
    ),
    (
        _("Results"),
        {
            "topic_set": _("Topic set"),
            "releases": _("Releases"),
            "results": _("Scores"),
            "reliability": _("Reliability"),
            "statistics": _("Statistics"),
        },
    ),
)
"""The pages of each group, by the names of their addresses."""


class Link(NamedTuple):
    """A link of the menu; ``waiting`` counts what waits there for an organizer."""

    label: str | Promise
    address: str
    is_current: bool
    waiting: int


class PageGroup(NamedTuple):
    """A group leads to its first page. A group of one page is that page."""

    link: Link
    pages: list[Link]


@cache
def roles_of(page: str) -> Roles:
    """Who may open a page, as its view declares."""
    view: Any = resolve(reverse(page, args=["any"])).func
    roles: Roles = view.roles
    return roles


def is_shown(page: str, campaign: Any) -> bool:
    """Whether the person's role and the rules of the campaign have this page."""
    by_rules = {"formulas": campaign.is_formulas, "written_report": campaign.rules.written}
    return campaign.role in roles_of(page) and by_rules.get(page, True)


def groups(campaign: Campaign, here: str) -> list[PageGroup]:
    """The menu for the person for whom the campaign was looked up, at the page ``here``."""
    waiting = {"questions": getattr(campaign, "open_questions", 0)}
    menu = []
    for label, pages in GROUPS:
        links = [
            Link(name, reverse(page, args=[campaign.slug]), page == here, waiting.get(page, 0))
            for page, name in pages.items()
            if is_shown(page, campaign)
        ]
        if len(links) == 1:
            menu.append(PageGroup(links[0], []))
        elif links:
            is_current, count = any(link.is_current for link in links), sum(link.waiting for link in links)
            menu.append(PageGroup(Link(label, links[0].address, is_current, count), links))
    return menu


@register.inclusion_tag("common/campaign_nav.html", takes_context=True)
def campaign_nav(context: template.Context) -> dict[str, object]:
    """The menu. A view sets ``section`` if the menu has its page under another name than its address."""
    match = context["request"].resolver_match
    campaign = context["campaign"]
    here = context.get("section") or (match.url_name if match else "")
    return {"groups": groups(campaign, here) if getattr(campaign, "role", "") else []}
