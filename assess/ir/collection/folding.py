"""Long posts around a formula to judge: what stands far before or after it is folded, and opens by a click."""

import re
from collections.abc import Sequence
from html import escape, unescape
from itertools import pairwise

LONG = 1200
"""So many characters of text, formulas as TeX, are read around a formula without being asked; more are folded."""
BLOCKS = {"blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "table", "ul"}

_TAG = re.compile(r"""<(?P<end>/?)(?P<name>[a-zA-Z][\w-]*+)(?:[^<>"']|"[^"]*"|'[^']*')*?(?P<alone>/?)>""")
_VOID = {"br", "hr", "img"}
_FORMULA = re.compile(r'<span class="math-container[^>]*? data-tex="([^"]*)"[^>]*>.*?</span>', re.DOTALL)


def folded(html: str, mark: str, before: str, after: str) -> str:
    """Displayed HTML with the paragraphs before and after those that contain the mark in ``<details>``, if they are
    long. The paragraphs next to a marked one stay. Nothing is folded without a mark, and nothing is left out. The words
    of the summaries, ``before`` and ``after``, have a place for how many words they hide."""
    blocks = blocks_of(html)
    marked = [number for number, block in enumerate(blocks) if mark in block]
    if not marked:
        return html
    first, last = max(0, marked[0] - 1), marked[-1] + 2
    near = "".join(blocks[first:last])
    return fold(blocks[:first], before) + near + fold(blocks[last:], after)


def fold(blocks: Sequence[str], summary: str) -> str:
    """Blocks behind a summary, or as they are if they are short."""
    html = "".join(blocks)
    text = text_of(html)
    if len(text) <= LONG:
        return html
    about = round(len(text.split()), -1)
    return f'<details class="fold"><summary>{escape(summary.format(about))}</summary>{html}</details>'


def blocks_of(html: str) -> list[str]:
    """The parts of properly nested HTML that stand below each other: block elements, and what is between them."""
    edges, depth = [0], 0
    for tag in _TAG.finditer(html):
        is_block, is_alone = tag["name"] in BLOCKS, tag["name"] in _VOID or bool(tag["alone"])
        depth -= bool(tag["end"])
        if is_block and not depth:
            edges += [tag.end()] if tag["end"] else [tag.start(), tag.end()][: 1 + is_alone]
        depth += not tag["end"] and not is_alone
    return [part for start, end in pairwise([*edges, len(html)]) if (part := html[start:end]).strip()]


def text_of(html: str) -> str:
    """The text of displayed HTML, whether its formulas are MathML or TeX."""
    return unescape(_TAG.sub(" ", _FORMULA.sub(lambda formula: formula[1], html))).strip()
