"""Which formulas stand in texts. A formula of the index that stands in none is spurious: nobody could be shown it."""

from collections.abc import Iterable, Iterator, Set
from itertools import islice

import polars as pl

SPAN = r"<span\s[^<>]*math-container[^<>]*>"
ID = r"""\bid\s*=\s*["']?([\w.-]+)"""
BATCH = 20_000


def formulas_in(texts: pl.Expr) -> pl.Expr:
    """The ids of the formulas in each text, which is HTML as found."""
    return texts.str.extract_all(SPAN).list.eval(pl.element().str.extract(ID).drop_nulls())


def spurious(stands: pl.Series, kind: pl.Series, *, posts: bool, comments: bool) -> pl.Series:
    """Which formulas are spurious, by whether each ``stands`` in some text and by the ``kind`` of its place. Of those
    of posts (and of comments) that is known only where the texts of ``posts`` (of ``comments``) are there."""
    is_comment = kind == "comment"
    return ~stands & ((is_comment & comments) | (~is_comment & posts))


def standing(texts: Iterable[str], wanted: Set[str]) -> set[str]:
    """Those of the wanted formulas that stand in one of these texts."""
    found: set[str] = set()
    for part in batches(texts):
        ids = part.to_frame("text").select(formulas_in(pl.col("text")).explode()).to_series()
        found.update(wanted & set(ids))
    return found


def batches(texts: Iterable[str]) -> Iterator[pl.Series]:
    source = iter(texts)
    while part := list(islice(source, BATCH)):
        yield pl.Series(part, dtype=pl.String)
