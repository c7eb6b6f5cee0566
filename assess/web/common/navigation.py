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


class MenuPage(NamedTuple):
    """A page by the name of its address."""

    name: str
    label: str | Promise


GROUPS: tuple[tuple[str | Promise, tuple[MenuPage, ...]], ...] = (
    (_("Overview"), (MenuPage("campaign", _("Overview")),)),
    (
        _("Set-up"),
        (
            MenuPage("topics", _("Topics")),
            MenuPage("collection", _("Collection")),
            MenuPage("formulas", _("Formulas")),
            MenuPage("runs", _("Runs")),
            MenuPage("pool", _("Pool")),
            MenuPage("judgment_sources", _("Other judgments")),
        ),
    ),
    (
        _("People"),
        (
            MenuPage("members", _("Members")),
            MenuPage("assignments", _("Assignments")),
            MenuPage("rounds", _("Rounds")),
            MenuPage("guidelines", _("Guidelines")),
            MenuPage("history", _("History")),
        ),
    ),
    (
        _("Judging"),
        (
            MenuPage("progress", _("Progress")),
            MenuPage("questions", _("Questions")),
            MenuPage("outcomes", _("Outcomes")),
            MenuPage("agreement", _("Agreement")),
            MenuPage("written_report", _("Written answers")),
        ),
    ),
    (
        _("Results"),
        (
            MenuPage("topic_set", _("Topic set")),
            MenuPage("releases", _("Releases")),
            MenuPage("results", _("Scores")),
            MenuPage("reliability", _("Reliability")),
            MenuPage("statistics", _("Statistics")),
        ),
    ),
)


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


def is_shown(page: MenuPage, campaign: Any) -> bool:
    """Whether the person's role and the rules of the campaign have this page."""
    by_rules = {"formulas": campaign.is_formulas, "written_report": campaign.rules.written}
    return campaign.role in roles_of(page.name) and by_rules.get(page.name, True)


def groups(campaign: Campaign, here: str) -> list[PageGroup]:
    """The menu for the person for whom the campaign was looked up, at the page ``here``."""
    waiting = {"questions": getattr(campaign, "open_questions", 0)}
    menu = []
    for label, pages in GROUPS:
        links = [
            Link(page.label, reverse(page.name, args=[campaign.slug]), page.name == here, waiting.get(page.name, 0))
            for page in pages
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
