"""Stored HTML of posts, and text that people write, on the way to the page: only here are they marked safe."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from html import escape, unescape
from itertools import accumulate, takewhile, tee
from os.path import isfile
from types import MappingProxyType
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from assess.ir.campaign.protocol import Protocol
from assess.ir.campaign.scale import is_grade
from assess.ir.collection import html as posts
from assess.ir.collection.links import linked_posts
from assess.ir.collection.mathml import mathml
from assess.ir.collection.tex import legible
from assess.models import Campaign, Topic
from assess.services.collection import images, threads

PLACE = "\ufffc"
"""The placeholder of a formula in text: Unicode's object replacement character."""
FORMULA = re.compile(r'<span class="math-container"[^>]*>([^<]*)</span>')
HIGHLIGHTED = ' class="math-container highlight"'
MOST_SIGNS = 36
"""The longest formula in an excerpt: it fits on a line of a phone."""
OWN_FORMULA = re.compile(
    r"\$\$(?P<block>(?:(?!\n\s*\n)[^$\\]|\\.)+)\$\$"
    r"|(?<![\\$])\$(?=\S)(?P<line>(?:(?!\n\s*\n)[^$\\]|\\.)+)(?<=\S)\$(?![\d$])",
    re.DOTALL,
)
"""A formula in text that people write. A single dollar is money: the opening dollar has no space after it, the closing
one no space before it and no digit after it, and no formula continues after an empty line."""
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
    """A body or a title for the page. Formulas in ``highlight`` are marked, pictures come from our own store, and links
    to posts in ``inside`` (see `inside_links`) lead to our threads."""
    if not html:
        return mark_safe("")
    return mark_safe(
        posts.display(
            html,
            highlight=highlight,
            image_url=partial(image_address, campaign),
            with_mathml=with_mathml,
            inside=inside,
            outside=_("leads outside"),
            missing=_("Missing picture"),
        )
    )


class ShownField(NamedTuple):
    """A field of a topic beside title and body."""

    name: str
    text: SafeString
    is_folded: bool


def fields_of(campaign: Campaign, topic: Topic, inside: Mapping[str, str] = NO_LINKS) -> list[ShownField]:
    """Those that the lab chose, in its order; else all, by name, the folded ones last."""
    rules = campaign.rules
    names = rules.topic_fields or sorted(topic.fields, key=lambda name: (name in rules.folded_fields, name))
    shown = {name: post_html(campaign, topic.fields[name], inside=inside) for name in names if name in topic.fields}
    titles = {name: name.replace("_", " ").capitalize() for name in shown}
    return [ShownField(titles[name], text, name in rules.folded_fields) for name, text in shown.items()]


def inside_links(campaign: Campaign, role: str, texts: Iterable[str]) -> dict[str, str]:
    """The addresses of linked posts whose threads a member may open; three queries, none without links."""
    linked = set().union(*map(linked_posts, texts))
    threads_by_post = threads.open_posts(campaign, role, linked)
    return {post: f"{reverse('thread', args=[campaign.slug, pk])}#post-{post}" for post, pk in threads_by_post.items()}


def anchored(html: SafeString) -> SafeString:
    """A body whose first highlighted formula has the id ``formula``."""
    return mark_safe(html.replace(HIGHLIGHTED, f' id="formula"{HIGHLIGHTED}', 1))


def numbered(html: SafeString, formulas: Sequence[str]) -> SafeString:
    """A post whose formulas of these ids have numbers, if there are several."""
    if len(formulas) > 1:
        for number, formula in enumerate(formulas, start=1):
            place = f' data-formula-id="{formula}"'
            html = mark_safe(html.replace(place, f'{place} data-number="{number}"', 1))
    return html


def image_address(campaign: Campaign, name: str) -> str | None:
    """The address of a picture, if the organizers have stored it."""
    if campaign.collection is None or not isfile(images.image_folder(campaign.collection) / name):
        return None
    return reverse("post_image", args=[campaign.slug, name])


def tex_html(campaign: Campaign, tex: str) -> SafeString:
    """A formula outside of posts."""
    text = escape(tex, quote=False)
    return post_html(campaign, f'<span class="math-container" data-formula-id="">{text}</span>')


def query_html(topic: Topic) -> SafeString:
    return tex_html(topic.campaign, topic.latex) if topic.latex else mark_safe("")


def formula_alone(campaign: Campaign, html: str, formula_id: str) -> SafeString:
    """A formula of a post without the post; empty if the post lacks it."""
    pattern = rf'<span class="math-container" data-formula-id="{re.escape(formula_id)}"[^>]*>([^<]*)</span>'
    match = re.search(pattern, html)
    span = f'<span class="math-container" data-formula-id="">{match[1]}</span>' if match else ""
    return post_html(campaign, span)


def plain_title(html: str) -> str:
    """The first words of a title, with … for each formula, for the title of the page."""
    return cut_text(posts.plain_text(FORMULA.sub("…", html)), 60)


def excerpt(html: str, length: int = 90) -> SafeString:
    """The first words of a post for a list, with its formulas on the line, as in posts, and … for long ones."""
    html = posts.with_latex(html.replace(PLACE, ""))
    shown, measured = tee(short_formula(legible(unescape(tex)).strip()) for tex in FORMULA.findall(html))
    return filled(cut_text(posts.plain_text(FORMULA.sub(PLACE, html)), length, map(formula_length, measured)), shown)


def short_formula(tex: str) -> str:
    """A formula for a list, or … for a long one."""
    shown = mathml(tex, False)
    span = f'<span class="math-container" data-tex="{escape(tex)}">{shown}</span>'
    return span if formula_length(shown) <= MOST_SIGNS else "…"


def own_formulas(text: str, *, on_line: bool = False) -> tuple[str, list[str]]:
    """Text with placeholders for its formulas, and the formulas as MathML; ``$$…$$`` on separate lines unless
    ``on_line``. What cannot be converted stays as written."""
    formulas: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        tex = " ".join((match["block"] or match["line"]).split())
        formula = mathml(tex, match["block"] is not None and not on_line) if is_balanced(tex) else ""
        if not formula.startswith("<math"):
            return match[0]
        formulas.append(formula)
        return PLACE

    return OWN_FORMULA.sub(set_aside, text.replace(PLACE, "")), formulas


def is_balanced(tex: str) -> bool:
    """Whether braces are balanced; the converter drops what it cannot parse."""
    depths = [0, *accumulate(1 if brace == "{" else -1 for brace in BRACE.findall(tex))]
    return min(depths) == depths[-1] == 0


def formula_length(formula: str) -> int:
    """The approximate length of a formula in characters."""
    return len(unescape(posts.TAG.sub("", formula)))


def filled(text: str, formulas: Iterable[str]) -> SafeString:
    """Text with formulas in place of the placeholders."""
    shown = (math.replace("<math", '<math class="native"', 1) for math in formulas)
    return mark_safe(PLACED.sub(lambda m: put_formula(next(shown, ""), m[1]), escape(text)))


def put_formula(formula: str, punctuation: str) -> str:
    return posts.closed(formula, punctuation, 'display="block"' in formula)


def cut_text(text: str, length: int, formulas: Iterable[int] = ()) -> str:
    """The whole words within the length, with … if some are left out. ``formulas``: the lengths of those with a
    placeholder in the text; none is cut."""
    sizes = iter(formulas)
    ends = accumulate(next(sizes, 1) if sign == PLACE else 1 for sign in text)
    fitting = sum(1 for _ in takewhile(lambda end: end <= length, ends))
    return text if fitting == len(text) else f"{text[: fitting + 1].rsplit(' ', 1)[0][:fitting]}…"


def style(rules: Protocol, word: str) -> str:
    """The CSS classes of a grade or an outcome (`styles/components.css`)."""
    if not is_grade(word):
        return "outcome"
    step = rules.step(int(word))
    return f"grade {'below ' if step < 0 else ''}step-{step}"
