"""The fields of a topic beside title and body, as its readers see them."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.safestring import SafeString

from assess.models import Campaign, Topic
from assess.web.common.html import NO_LINKS, post_html


class ShownField(NamedTuple):
    """A field of a topic beside title and body."""

    name: str
    text: SafeString
    is_folded: bool


def fields_of(campaign: Campaign, topic: Topic, inside: Mapping[str, str] = NO_LINKS) -> list[ShownField]:
    """Those that the lab chose, in its order; else all, by name, the folded ones last."""
    rules = campaign.rules
    names = rules.topic_fields or sorted(topic.fields, key=lambda name: (name in rules.folded_fields, name))
    return [
        ShownField(
            name.replace("_", " ").capitalize(),
            post_html(campaign, topic.fields[name], inside=inside),
            name in rules.folded_fields,
        )
        for name in names
        if name in topic.fields
    ]
