"""Which formulas occur in texts. A formula of the index that occurs in no text is spurious: it cannot be shown."""

from collections.abc import Iterable, Set
from itertools import islice

import polars as pl

SPAN = r"<span\s[^<>]*math-container[^<>]*>"
ID = r"""\bid\s*=\s*["']?([\w.-]+)"""
BATCH = 20_000


def formulas_in(texts: pl.Expr) -> pl.Expr:
    """The ids of the formulas in each text, which is HTML as found."""
    return texts.str.extract_all(SPAN).list.eval(pl.element().str.extract(ID).drop_nulls())


def spurious(occurs: pl.Series, kind: pl.Series, *, posts: bool, comments: bool) -> pl.Series:
    """Which formulas are spurious, given whether each ``occurs`` in a text, and its ``kind``. For formulas of posts
    (of comments), this is known only if the collection has the texts of ``posts`` (of ``comments``)."""
    is_comment = kind == "comment"
    return ~occurs & ((is_comment & comments) | (~is_comment & posts))


def occurring(texts: Iterable[str], wanted: Set[str]) -> set[str]:
    """The wanted formulas that occur in one of these texts."""
    ids: set[str] = set()
    source = iter(texts)
    while batch := list(islice(source, BATCH)):
        found = pl.DataFrame({"text": batch}, {"text": pl.String}).select(formulas_in(pl.col("text")).explode())
        ids.update(wanted & set(found.to_series()))
    return ids
