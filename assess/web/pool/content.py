"""How pages show a document of a pool."""

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assess.models import Campaign
from assess.services.pool.content import Card
from assess.web.common.html import HIGHLIGHTED, excerpt, formula_alone


def text_of(campaign: Campaign, document: Card) -> str | SafeString:
    if document.highlight and document.post:
        return formula_alone(campaign, document.post.title + document.post.body, document.highlight[0])
    return excerpt(document.body) or _("(no text)")


def thread_address(campaign: Campaign, card: Card, body: str) -> str:
    """The thread if documents have one, at the formula to judge or, if the body does not contain it, at the post."""
    if card.post is None or not campaign.rules.kind.has_threads:
        return ""
    address = reverse("thread", args=[campaign.slug, card.post.thread_id])
    query = f"?{urlencode({'formula': card.highlight[0]})}" if card.highlight else ""
    return f"{address}{query}#{'formula' if HIGHLIGHTED in body else f'post-{card.post.post_id}'}"
