"""Visual ids: which formula instances look alike (ARQMath-2 and 3), and what to do where an id lumps unlike ones."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from assess.ir.collection.mathml import readable
from assess.ir.formulas.slt import NoTree, as_string, from_latex, from_mathml

_MARKUP = re.compile(r"\s*<(?:\?xml|math)\b")


def key(latex: str, mathml: str = "") -> str:
    """What instances of one visual id have in common: their Symbol Layout Tree as a string where one can be made, of
    Presentation MathML if given (or found in place of LaTeX, as in the labs' SLT files), else of the LaTeX; and
    otherwise the LaTeX without white space."""
    if _MARKUP.match(latex):
        latex, mathml = "", mathml or latex
    if mathml:
        try:
            return as_string(from_mathml(mathml))
        except NoTree:
            pass
    try:
        return as_string(from_latex(latex))
    except NoTree:
        return latex_key(latex or mathml)


def latex_key(latex: str) -> str:
    return "".join(readable(latex).split())


class PairScores(NamedTuple):
    """How two clusterings agree, over all pairs of instances: of the pairs that the first one joins, the share that
    the second joins too is ``recall``; of those that the second joins, ``precision``. None without such pairs."""

    precision: float | None
    recall: float | None
    pairs: int
    """Pairs that the first one joins."""


def pair_scores(truth: Sequence[Hashable], found: Sequence[Hashable]) -> PairScores:
    wanted, made, both = _pairs(truth), _pairs(found), _pairs(zip(truth, found, strict=True))
    return PairScores(both / made if made else None, both / wanted if wanted else None, wanted)


def _pairs(clusters: Iterable[Hashable]) -> int:
    return sum(count * (count - 1) // 2 for count in Counter(clusters).values())
