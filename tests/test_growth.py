"""The time for a text from outside grows with its length, not with its square. Posts, titles and notes are measured
on `tests.hostile.SHAPES` beside their other tests."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import process_time
from xml.etree.ElementTree import Element

import pytest

from assess.ir.collection import folding, html, mathml, tex
from assess.ir.collection.html import written_html
from assess.ir.common.problems import BadInput, Problems
from assess.ir.common.rows import TopicRow
from assess.ir.formats import thread_pages
from assess.ir.formats.posts import comment_html
from assess.ir.formats.topics import different_latex
from assess.ir.formulas import slt
from assess.services.collection.topic_threads import comparable
from tests.hostile import SHAPES, within
from tests.ir.formats.readers import READERS, read

LENGTH = 30_000
TIMES, SLACK = 10, 0.3
"""Four times the length takes at most so many times as long, which the square does not, and so many seconds."""

Text = Callable[[int], str]
SPAN = '<span class="math-container">'
PAGE = '<div class="question" data-questionid="1"><div itemprop="text">x</div></div><div class="linked">'


def topic(body: str) -> object:
    return different_latex(TopicRow("A.1", "", body, formula_id="q_1", latex="x"))


def page(text: str) -> object:
    return thread_pages.read_thread_page(f"{PAGE}{text}</div>".encode(), "a.html")


def problem(cell: str) -> None:
    Problems("x").add(1, f"found {cell!r}")


def read_text(kind: str, text: str) -> object:
    return read(kind, text.encode())


PIECES = {"tabs": "\t", "quotes": '"', "quoted cells": '\t"a""', "open quotes": '\t"', "blanks": " ", "tags": "<a"}
PIECES |= {"lines of open quotes": '\n\t"a', "lines of doubled quotes": '\n\t"""a', "lines of commas": '\n,""a'}
CASES: dict[str, tuple[Callable[[str], object], Text]] = {
    "a length of digits": (lambda text: mathml.is_huge(Element("mspace", width=text)), within("", "", "9")),
    "dollars without an end of the document": (tex.with_matrices, within(r"\hfil", "", "$")),
    "blanks without an end of the document": (tex.with_matrices, within(r"\hfil", "", " ")),
    "a distance of rows without a unit": (tex.in_environment, within(r"\\[", "", "1")),
    "a tag of one name": (folding.text_of, within("<", "[", "w")),
    "MathML without an end": (html.canonical, within(SPAN, "</span>", "<math ")),
    "annotations without an end": (
        html.canonical,
        within(f"{SPAN}<math><annotation ", "</span>", 'encoding="application/x-tex" '),
    ),
    "spans of comments": (comment_html, within("", "</span>", SPAN)),
    "spans of topics": (topic, within("", "", "<span ")),
    "spans of topics without an end": (topic, within("", "", "<span id='q_1'>")),
    "ids of a span of a topic": (topic, within("<span ", "", "id='q_1' ")),
    "lines of a page's links": (page, within("", "", "\n")),
    "numbers of a page's links": (page, within("", "", "\n[1] ")),
    "written answers of dollars": (written_html, within("", "", "$$x")),
    "written answers of lines": (written_html, within("", "", "\n \t")),
    "MathML of stray signs": (slt.key, within("<math>", "", "&a<")),
    "TeX of tags": (slt.key, within("", "", r"\tag{ ")),
    **{
        f"comparable {name}": (comparable, SHAPES[name])
        for name in ("less-than signs", "starts of tags", "white space")
    },
    **{f"a problem with {name}": (problem, within("", "", sign)) for name, sign in (("quotes", "'"), ("digits", "1 "))},
    **{
        f"{kind} of {name}": (partial(read_text, kind), within(reader.valid[:40], "", piece))
        for kind, reader in READERS.items()
        for name, piece in PIECES.items()
    },
}


@pytest.mark.parametrize("case", CASES)
def test_the_time_grows_with_the_length(case: str) -> None:
    done, text = CASES[case]

    def seconds(length: int) -> float:
        made = text(length)
        begun = process_time()
        with suppress(BadInput):
            done(made)
        return process_time() - begun

    short = seconds(LENGTH)
    assert seconds(4 * LENGTH) < TIMES * short + SLACK
