"""Excerpts of posts and formulas in what people write take little time, whatever is in them."""

from time import process_time

import pytest

from assess.ir.collection.html import canonical
from assess.web.common.html import excerpt, own_formulas, plain_title
from tests.hostile import SHAPES


@pytest.mark.parametrize("shape", SHAPES)
def test_no_text_takes_long(shape: str) -> None:
    text = SHAPES[shape](80_000)
    stored = canonical(text)
    start = process_time()
    excerpt(stored)
    plain_title(stored)
    own_formulas(text)
    assert process_time() - start < 5  # quadratic code would take minutes
