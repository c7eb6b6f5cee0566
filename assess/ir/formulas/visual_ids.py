"""Visual ids: which formula instances look alike (ARQMath-2 and 3), and how two clusterings compare."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from assess.ir.collection.mathml import readable
from assess.ir.formulas.slt import NoTree, as_string, from_latex, from_mathml

_MARKUP = re.compile(r"\s*<(?:\?xml|math)\b")


def key(latex: str, mathml: str = "") -> str:
    """What instances of one visual id have in common: their Symbol Layout Tree as a string, made from Presentation
    MathML if there is any (also in place of LaTeX, as in the labs' SLT files), else from the LaTeX. If no tree can be
    made, it is the LaTeX without white space."""
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
    """How two clusterings agree, over all pairs of instances: ``recall`` is the share of the pairs joined by the first
    that the second joins too; ``precision`` the share of those joined by the second. None without such pairs."""

    precision: float | None
    recall: float | None
    pairs: int
    """Pairs that the first joins."""


def pair_scores(truth: Sequence[Hashable], clusters: Sequence[Hashable]) -> PairScores:
    true, joined, both = _pairs(truth), _pairs(clusters), _pairs(zip(truth, clusters, strict=True))
    return PairScores(both / joined if joined else None, both / true if true else None, true)


def _pairs(clusters: Iterable[Hashable]) -> int:
    return sum(count * (count - 1) // 2 for count in Counter(clusters).values())
