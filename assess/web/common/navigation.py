"""The menu of a campaign: its pages in groups, by what people do there, and the tabs of pages that share an entry."""

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
            "collection": _("Documents"),
            "runs": _("Runs"),
            "pool": _("Pool"),
            "guidelines": _("Guidelines"),
        },
    ),
    (_("People"), {"members": _("Members"), "assignments": _("Assignments")}),
    (
        _("Judging"),
        {"progress": _("Progress"), "rounds": _("Rounds"), "questions": _("Questions"), "agreement": _("Agreement")},
    ),
    (_("Results"), {"releases": _("Releases"), "results": _("Scores"), "reliability": _("Reliability")}),
    (_("Settings"), {"campaign_edit": _("Settings")}),
)
"""The entries of each group, by the names of their addresses."""

TABS: dict[str, dict[str, str | Promise]] = {
    "collection": {"collection": _("Documents"), "formulas": _("Visual ids")},
    "assignments": {"assignments": _("List"), "board": _("Board")},
    "questions": {"questions": _("Questions"), "outcomes": _("Problems reported")},
    "releases": {"releases": _("Releases"), "topic_set": _("Topic set")},
    "results": {"results": _("Scores"), "statistics": _("Statistics"), "written_report": _("Written answers")},
    "campaign_edit": {
        "campaign_edit": _("Protocol"),
        "history": _("History"),
        "judgment_sources": _("Judgments made elsewhere"),
    },
}
"""The pages that share an entry of the menu, or parts of its page; they are shown as tabs above each other's
contents."""
ENTRY_OF = {page: entry for entry, pages in TABS.items() for page in pages}
ENTRY_OF |= {"baselines": "runs", "collection_images": "collection", "fuse": "runs", "topic_threads": "topics"}
"""Where the tabs are, and other parts of pages that start jobs."""


class Link(NamedTuple):
    """A link of the menu; ``waiting`` counts what waits there for an organizer."""

    label: str | Promise
    address: str
    is_current: bool
    waiting: int


PageGroup = tuple[Link, list[Link]]
"""A group leads to its first page. A group of one page is that page."""


def view_of(page: str) -> Any:
    return resolve(reverse(page, args=["any"])).func


@cache
def parts_of(page: str) -> dict[str, Any]:
    """The views of the parts of a page (`with_parts`), by their names."""
    return getattr(view_of(page), "parts", {})


def address_of(page: str, slug: str) -> str:
    """Of a page; or of a part, which is asked for by a query to the page of its entry."""
    entry = ENTRY_OF.get(page, page)
    if page in parts_of(entry):
        return reverse(entry, args=[slug], query={page: ""})
    return reverse(page, args=[slug])


@cache
def roles_of(page: str) -> Roles:
    """Who may open a page or part, as its view declares."""
    view = parts_of(ENTRY_OF.get(page, page)).get(page) or view_of(page)
    roles: Roles = view.roles
    return roles


def tabs_of(entry: str, name: str | Promise, campaign: Campaign, here: str) -> list[Link]:
    """The pages of an entry that the person's role and the rules of the campaign have."""
    by_rules = {"formulas": campaign.is_formulas, "written_report": campaign.rules.written}
    return [
        Link(label, address_of(page, campaign.slug), page == here, campaign.open_questions * (page == "questions"))
        for page, label in TABS.get(entry, {entry: name}).items()
        if campaign.role in roles_of(page) and by_rules.get(page, True)
    ]


def link_to_all(label: str | Promise, links: list[Link]) -> Link:
    """It leads to the first of them, and is current if one of them is."""
    return Link(label, links[0].address, any(link.is_current for link in links), sum(link.waiting for link in links))


def groups(campaign: Campaign, here: str) -> list[PageGroup]:
    """The menu for the person for whom the campaign was looked up, at the page ``here``."""
    menu = []
    for label, entries in GROUPS:
        tabs = ((name, tabs_of(entry, name, campaign, here)) for entry, name in entries.items())
        links = [link_to_all(name, pages) for name, pages in tabs if pages]
        if links:
            menu.append((links[0], []) if len(links) == 1 else (link_to_all(label, links), links))
    return menu


def section_of(context: template.Context) -> str:
    """The page that the menu shows as the current one: ``section``, if a view sets it, else the one of the address."""
    match = context["request"].resolver_match
    return context.get("section") or (match.url_name if match else "")


@register.inclusion_tag("common/campaign_nav.html", takes_context=True)
def campaign_nav(context: template.Context) -> dict[str, object]:
    campaign = context["campaign"]
    return {"groups": groups(campaign, section_of(context)) if getattr(campaign, "role", "") else []}


@register.inclusion_tag("common/tabs.html", takes_context=True)
def campaign_tabs(context: template.Context) -> dict[str, object]:
    """The pages that share the menu's entry with the current one."""
    campaign: Any = context.get("campaign")
    here = section_of(context)
    entry = next((entry for entry, pages in TABS.items() if here in pages), "")
    return {"tabs": tabs_of(entry, "", campaign, here) if entry and getattr(campaign, "role", "") else []}
