"""Stored HTML of posts and the words of people on the way to the page: the one place where they are declared safe."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from html import escape, unescape
from itertools import accumulate, takewhile, tee
from os.path import isfile
from types import MappingProxyType

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from assess.ir.collection import html as posts
from assess.ir.collection.links import linked_posts
from assess.ir.collection.mathml import mathml, readable
from assess.models import Campaign, Topic
from assess.services.collection import images, threads

PLACE = "\ufffc"
"""Stands for a formula in text: Unicode's object replacement character."""
FORMULA = re.compile(r'<span class="math-container"[^>]*>([^<]*)</span>')
HIGHLIGHTED = ' class="math-container highlight"'
LONGEST = 36
"""The most signs of a formula in an excerpt: what fits a line of a telephone."""
OWN_FORMULA = re.compile(
    r"\$\$(?P<block>(?:(?!\n\s*\n)[^$\\]|\\.)+)\$\$"
    r"|(?<![\\$])\$(?=\S)(?P<line>(?:(?!\n\s*\n)[^$\\]|\\.)+)(?<=\S)\$(?![\d$])",
    re.DOTALL,
)
"""A formula in what somebody writes. A lone dollar is money: the first one of a formula has no space after it, the last
one no space before it and no digit after it; and no formula goes on after an empty line."""
BRACE = re.compile(r"(?<!\\)(?:\\\\)*([{}])")
PLACED = re.compile(PLACE + posts.CLOSING)

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
    opened = threads.openable_posts(campaign, role, linked)
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
    """The first words of a post for a list: formulas as MathML, those in a line of their own too, … for long ones."""
    html = posts.with_environments(html.replace(PLACE, ""))
    shown, measured = tee(short_formula(readable(unescape(tex)).strip()) for tex in FORMULA.findall(html))
    return filled(cut(posts.plain_text(FORMULA.sub(PLACE, html)), length, map(signs, measured)), shown)


def short_formula(tex: str) -> str:
    """MathML for a list, or … for a formula that is too long."""
    shown = mathml(tex, False)
    return shown if signs(shown) <= LONGEST else "…"


def own_formulas(text: str, *, on_line: bool = False) -> tuple[str, list[str]]:
    """What somebody wrote, with a sign in the place of each formula, and these as MathML: ``$$…$$`` in a line of its
    own unless all shall stay on one. What cannot be converted stays as it was written."""
    found: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        tex = " ".join((match["block"] or match["line"]).split())
        formula = mathml(tex, match["block"] is not None and not on_line) if is_balanced(tex) else ""
        if not formula.startswith("<math"):
            return match[0]
        found.append(formula)
        return PLACE

    return OWN_FORMULA.sub(set_aside, text.replace(PLACE, "")), found


def is_balanced(tex: str) -> bool:
    """Whether each brace has its other: the converter leaves out what it makes nothing of."""
    depths = [0, *accumulate(1 if brace == "{" else -1 for brace in BRACE.findall(tex))]
    return min(depths) == depths[-1] == 0


def signs(formula: str) -> int:
    """How long a formula is, about: the signs of which it consists."""
    return len(unescape(posts.TAG.sub("", formula)))


def filled(text: str, formulas: Iterable[str]) -> SafeString:
    """Text with formulas in their places."""
    shown = (math.replace("<math", '<math class="native"', 1) for math in formulas)
    return mark_safe(PLACED.sub(lambda m: placed(next(shown, ""), m[1]), escape(text)))


def placed(formula: str, punctuation: str) -> str:
    return posts.closed(formula, punctuation, 'display="block"' in formula)


def cut(text: str, length: int, formulas: Iterable[int] = ()) -> str:
    """The whole words within the length, with … for those left out. ``formulas``: as how many signs those count that
    have a place in the text; none is cut."""
    sizes = iter(formulas)
    ends = accumulate(next(sizes, 1) if sign == PLACE else 1 for sign in text)
    fitting = sum(1 for _ in takewhile(lambda end: end <= length, ends))
    return text if fitting == len(text) else f"{text[: fitting + 1].rsplit(' ', 1)[0][:fitting]}…"
