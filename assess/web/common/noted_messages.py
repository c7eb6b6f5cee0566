"""Django's messages, which also tell the history of a campaign."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.contrib.messages import SUCCESS
from django.contrib.messages.storage.fallback import FallbackStorage
from django.http import HttpRequest, HttpResponseBase
from django.urls import Resolver404, resolve

from assess.models import Campaign
from assess.services.common import history

NOTED = "noted"
"""The tag of a message that a service has noted already."""


class NotedMessages(FallbackStorage):
    """A message says what a change in a campaign did. The same words are its history, so that no page has to say them
    twice, and none forgets to. They lead to the page to which the change led."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.noted: list[str] = []

    @property
    def slug(self) -> str:
        match = self.request.resolver_match
        return match.kwargs.get("slug", "") if match else ""

    def add(self, level: int, message: Any, extra_tags: str | None = "") -> None:
        super().add(level, message, extra_tags)
        if level == SUCCESS and self.slug and self.request.method == "POST" and extra_tags != NOTED:
            self.noted.append(str(message))

    def update(self, response: HttpResponseBase) -> list[Any] | None:
        for text in self.noted:
            place = place_of(response.headers.get("Location", ""), self.slug)
            campaign = Campaign.objects.filter(slug=self.slug).first()
            if campaign:
                page = place.pop("page", "")
                history.note(cast(User, self.request.user), text.removesuffix("."), campaign, page=page, **place)
        return super().update(response)


def place_of(address: str, slug: str) -> dict[str, Any]:
    """A page of the campaign, as `Action` has it; empty for another page."""
    try:
        match = resolve(address.partition("?")[0].partition("#")[0])
    except Resolver404:
        return {}
    kwargs = dict(match.kwargs)
    return {"page": match.url_name, **kwargs} if kwargs.pop("slug", "") == slug else {}
