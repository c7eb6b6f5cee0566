"""Who may open a page of a campaign, and how it is asked for: declared at its view, and read by the menu."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from assess.models import Action, Campaign
from assess.services.common.access import campaign_for
from assess.web.common.responses import refusals

P = ParamSpec("P")
Roles = tuple[str, ...]
View = Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]
CampaignView = Callable[Concatenate[HttpRequest, Campaign, P], HttpResponseBase]
CampaignAction = Callable[Concatenate[HttpRequest, Campaign, P], Action | HttpResponseBase | None]


def campaign_view(
    roles: Roles, changes: Roles = (), *, section: str = "", when_archived: bool = False
) -> Callable[[CampaignView[P]], View[P]]:
    """Give a view the campaign of its address, if the person has one of these roles: a stranger gets 404, another role
    403. ``changes``: the roles for POST, if they differ. ``section``: the page that the menu shows as the current one,
    if it is not this. ``when_archived``: POST changes nothing in the campaign that being archived is to prevent."""

    def decorate(view: CampaignView[P]) -> View[P]:
        @wraps(view)
        def door(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            is_post = request.method == "POST"
            needed = changes if changes and is_post else roles
            campaign = campaign_for(request.user, slug, needed, changes=is_post and not when_archived)
            request.page = {"campaign": campaign, "section": section}  # type: ignore[attr-defined]
            return view(request, campaign, *args, **kwargs)

        door.roles = roles  # type: ignore[attr-defined]
        return door  # type: ignore[return-value]

    return decorate


def with_parts(page: View[P], **parts: View[P]) -> View[P]:
    """A page with parts, each behind a door of its own: a query that has the name of one asks for it."""

    @wraps(page)
    def door(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        asked = next((part for name, part in parts.items() if name in request.GET), page)
        return asked(request, slug, *args, **kwargs)

    door.parts = parts  # type: ignore[attr-defined]
    return door  # type: ignore[return-value]


def page_of_campaign(request: HttpRequest) -> dict[str, object]:
    """For the templates of all pages of a campaign: the campaign and the section."""
    return getattr(request, "page", {})


def campaign_page(roles: Roles, *, section: str = "") -> Callable[[CampaignView[P]], View[P]]:
    """A `campaign_view` that is only read."""
    return lambda view: require_safe(campaign_view(roles, section=section)(view))


def campaign_action(
    roles: Roles, page: str, *, section: str = "", when_archived: bool = False, asks: bool = False, **part: str
) -> Callable[[CampaignAction[P]], View[P]]:
    """A `campaign_view` behind a button, which is only posted to. It returns what a service did, to be told on the page
    ``page``; so is the refusal of a service. Or it returns a response of its own. ``part``: the part of the page, by
    its name in the query, and what names it in this address. ``asks``: the same address is also the page with the
    form."""

    def decorate(view: CampaignAction[P]) -> View[P]:
        @campaign_view(roles, section=section or page, when_archived=when_archived)
        @wraps(view)
        def act(request: HttpRequest, campaign: Campaign, /, *args: Any, **kwargs: Any) -> HttpResponseBase:
            with refusals(request) as tell:
                done = view(request, campaign, *args, **kwargs)
                if isinstance(done, HttpResponseBase):
                    return done
                tell(done)
            query = {name: kwargs.get(here, here) for name, here in part.items()}
            return redirect(reverse(page, args=[campaign.slug], query=query))

        return act if asks else require_POST(act)

    return decorate
