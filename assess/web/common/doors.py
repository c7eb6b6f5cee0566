"""Who may open a page of a campaign: declared at its view, and read by the menu."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponseBase

from assess.models import Campaign
from assess.services.common.access import campaign_for

P = ParamSpec("P")
Roles = tuple[str, ...]
View = Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]
CampaignView = Callable[Concatenate[HttpRequest, Campaign, P], HttpResponseBase]


def campaign_view(
    roles: Roles, changes: Roles = (), *, when_archived: bool = False
) -> Callable[[CampaignView[P]], View[P]]:
    """Give a view the campaign of its address, if the person has one of these roles: a stranger gets 404, another role
    403. ``changes``: the roles for POST, if they differ. ``when_archived``: POST changes nothing in the campaign that
    being archived is to prevent."""

    def decorate(view: CampaignView[P]) -> View[P]:
        @wraps(view)
        def door(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            is_post = request.method == "POST"
            needed = changes if changes and is_post else roles
            campaign = campaign_for(request.user, slug, needed, changes=is_post and not when_archived)
            return view(request, campaign, *args, **kwargs)

        door.roles = roles  # type: ignore[attr-defined]
        return door  # type: ignore[return-value]

    return decorate
