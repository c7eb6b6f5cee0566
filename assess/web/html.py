"""Stored HTML of posts on the way to the page: the one place where it is declared safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from html import escape

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from assess.ir import html as posts
from assess.models import Campaign
from assess.services import images


def post_html(campaign: Campaign, html: str, highlight: Collection[str] = ()) -> SafeString:
    """A body or a title for the page; formulas in ``highlight`` are marked, pictures come from our own store."""
    return mark_safe(posts.display(html, highlight=highlight, image_url=image_address(campaign)))


def image_address(campaign: Campaign) -> Callable[[str], str | None]:
    """Gives a picture's address where the organizers have stored it."""
    folder = images.folder(campaign.collection) if campaign.collection else None

    def address(name: str) -> str | None:
        if folder is None or not (folder / name).is_file():
            return None
        return reverse("post_image", args=[campaign.slug, name])

    return address


def tex_html(campaign: Campaign, tex: str) -> SafeString:
    """A formula that stands in no post."""
    text = escape(tex, quote=False)
    return post_html(campaign, f'<span class="math-container" data-formula-id="">{text}</span>')


def formula_alone(campaign: Campaign, html: str, formula_id: str) -> SafeString:
    """One formula of a post, without the post; nothing where the post lacks it."""
    pattern = rf'<span class="math-container" data-formula-id="{re.escape(formula_id)}"[^>]*>([^<]*)</span>'
    found = re.search(pattern, html)
    span = f'<span class="math-container" data-formula-id="">{found[1]}</span>' if found else ""
    return post_html(campaign, span)


def snippet(html: str, length: int = 90) -> str:
    """The first words of a post."""
    text = posts.plain_text(html)
    return text if len(text) <= length else f"{text[:length].rstrip()}…"
