"""Django's messages, which also tell the history of a campaign."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.contrib.messages import SUCCESS
from django.contrib.messages.storage.fallback import FallbackStorage

from assess.services.common import history


class NotedMessages(FallbackStorage):
    """A message says what a change in a campaign did. The same words are its history, so that no page
    has to say them twice, and none forgets to."""

    def add(self, level: int, message: Any, extra_tags: str | None = "") -> None:
        super().add(level, message, extra_tags)
        match = self.request.resolver_match
        slug = match.kwargs.get("slug") if match else None
        if level == SUCCESS and slug and self.request.method == "POST":
            history.note(slug, cast(User, self.request.user), str(message))
