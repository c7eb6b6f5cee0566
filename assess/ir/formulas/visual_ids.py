"""Visual ids: which formula instances look alike (ARQMath-2 and 3)."""

import re

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
