"""The time for a post grows linearly with its length, whatever is in it."""

from time import process_time

import pytest

from assess.ir.collection import folding, html
from assess.ir.collection.links import linked_posts
from tests.hostile import SHAPES

LENGTH = 80_000
SECONDS = 5
"""Linear code takes less than one second, quadratic code minutes."""


def everything_done_with_a_post(text: str) -> None:
    stored = html.canonical(text)
    html.canonical_inline(text)
    assert len(stored) < 10 * len(text) + 1000
    for done in (html.display, html.plain_text, html.prose, html.formulas, linked_posts):
        done(stored)
    folding.text_of("".join(folding.blocks_of(html.display(stored))))
    html.prose(html.quick(text))


@pytest.mark.parametrize("shape", SHAPES)
def test_no_text_takes_long_and_its_canonical_form_is_stable(shape: str) -> None:
    text = SHAPES[shape](LENGTH)
    start = process_time()
    everything_done_with_a_post(text)
    assert process_time() - start < SECONDS
    stored = html.canonical(SHAPES[shape](5000))
    assert html.canonical(stored) == stored
