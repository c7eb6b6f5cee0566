"""Stored HTML of posts on the way to the page: the one place where it is declared safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from html import escape, unescape
from os.path import isfile
from types import MappingProxyType

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from assess.ir import html as posts
from assess.ir.html import PLACE
from assess.ir.links import linked_posts
from assess.ir.mathml import mathml, readable
from assess.models import Campaign, Topic
from assess.services import images, threads

FORMULA = re.compile(r'<span class="math-container"[^>]*>([^<]*)</span>')
HIGHLIGHTED = ' class="math-container highlight"'
SHORT_TEX = 24
"""The most characters of TeX that make a formula in an excerpt."""


NO_LINKS: Mapping[str, str] = MappingProxyType({})


def post_html(
    campaign: Campaign,
    html: str,
    highlight: Collection[str] = (),
    with_mathml: bool = True,
    inside: Mapping[str, str] = NO_LINKS,
) -> SafeString:
    """A body or a title for the page; formulas in ``highlight`` are marked, pictures come from our own store, links to
    the posts in ``inside`` (see `inside_links`) lead to our threads."""
    if not html:
        return mark_safe("")
    pictures = image_address(campaign)
    return mark_safe(
        posts.display(
            html,
            highlight=highlight,
            image_url=pictures,
            with_mathml=with_mathml,
            inside=inside,
            outside=_("leads outside"),
            missing=_("Missing picture"),
        )
    )


def inside_links(campaign: Campaign, role: str, texts: Iterable[str]) -> dict[str, str]:
    """The posts that texts link to and whose threads a member may open, with their addresses; three queries, none
    where nothing links to a post."""
    linked = set().union(*map(linked_posts, texts))
    opened = threads.opened_posts(campaign, role, linked)
    return {
        post: f"{reverse('thread', args=[campaign.slug, thread_id])}#post-{post}" for post, thread_id in opened.items()
    }


def anchored(html: SafeString) -> SafeString:
    """A body whose first highlighted formula an address can lead to, as ``#formula``."""
    return mark_safe(html.replace(HIGHLIGHTED, f' id="formula"{HIGHLIGHTED}', 1))


def image_address(campaign: Campaign) -> Callable[[str], str | None]:
    """Gives a picture's address where the organizers have stored it."""

    def address(name: str) -> str | None:
        if campaign.collection is None or not isfile(images.folder(campaign.collection) / name):
            return None
        return reverse("post_image", args=[campaign.slug, name])

    return address


def tex_html(campaign: Campaign, tex: str) -> SafeString:
    """A formula that stands in no post."""
    text = escape(tex, quote=False)
    return post_html(campaign, f'<span class="math-container" data-formula-id="">{text}</span>')


def query_html(topic: Topic) -> SafeString:
    """The query formula of a topic; nothing where it has none."""
    return tex_html(topic.campaign, topic.latex) if topic.latex else mark_safe("")


def formula_alone(campaign: Campaign, html: str, formula_id: str) -> SafeString:
    """One formula of a post, without the post; nothing where the post lacks it."""
    pattern = rf'<span class="math-container" data-formula-id="{re.escape(formula_id)}"[^>]*>([^<]*)</span>'
    found = re.search(pattern, html)
    span = f'<span class="math-container" data-formula-id="">{found[1]}</span>' if found else ""
    return post_html(campaign, span)


def plain_title(html: str, length: int = 60) -> str:
    """The first words of a title, with … for each formula: for the browser's own title."""
    return cut(posts.plain_text(FORMULA.sub("…", html)), length)


def excerpt(html: str, length: int = 90) -> SafeString:
    """The first words of a post for a list: short formulas as MathML, … for longer ones."""
    short: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        tex = readable(unescape(match[1])).strip()
        if len(tex) > SHORT_TEX:
            return "…"
        short.append(mathml(tex, False))
        return PLACE

    text = cut(posts.plain_text(FORMULA.sub(set_aside, html.replace(PLACE, ""))), length)
    words = escape(text).split(PLACE)
    return mark_safe(words[0] + "".join(math + word for math, word in zip(short, words[1:], strict=False)))


def cut(text: str, length: int) -> str:
    """The whole words within the length, with … for those left out."""
    return text if len(text) <= length else f"{text[: length + 1].rsplit(' ', 1)[0][:length]}…"
