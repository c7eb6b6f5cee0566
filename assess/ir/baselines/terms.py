"""The terms of a post: its words, and its LaTeX as tokens or as English words."""

import re
from collections.abc import Iterator
from typing import Literal

from assess.ir.collection.html import formulas, prose

Symbols = Literal["latex", "words"]
"""How LaTeX becomes terms: as tokens, or with symbols mapped to English words, so that \\int in a formula matches
"integral" in a sentence (the second TF-IDF baseline of ARQMath-3)."""

WORD = re.compile(r"[^\W_]+")
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[a-zA-Z]+|\d+|[^\s{}$&\\]")
"""A command, an escaped character, a run of letters, a number, or one other character; not braces, dollars and
alignment marks."""

ENGLISH = {
    "+": "plus", "-": "minus", "=": "equals", "<": "less", ">": "greater", "/": "over", "*": "times", "!": "factorial",
    "^": "superscript", "_": "subscript", "|": "bar", "'": "prime", ",": "comma", ".": "point", ":": "colon",
    "(": "open parenthesis", ")": "close parenthesis", "[": "open bracket", "]": "close bracket",
    r"\{": "open brace", r"\}": "close brace", r"\|": "norm", r"\%": "percent",
    r"\frac": "fraction", r"\dfrac": "fraction", r"\tfrac": "fraction", r"\cfrac": "fraction",
    r"\binom": "binomial", r"\dbinom": "binomial", r"\choose": "binomial", r"\sqrt": "root",
    r"\sum": "sum", r"\prod": "product", r"\int": "integral", r"\iint": "double integral",
    r"\iiint": "triple integral", r"\oint": "contour integral", r"\partial": "partial derivative",
    r"\nabla": "gradient", r"\lim": "limit", r"\infty": "infinity", r"\to": "to", r"\rightarrow": "to",
    r"\mapsto": "maps to", r"\Rightarrow": "implies", r"\implies": "implies", r"\iff": "iff",
    r"\Leftrightarrow": "iff", r"\le": "less equal", r"\leq": "less equal", r"\leqslant": "less equal",
    r"\lt": "less", r"\ge": "greater equal", r"\geq": "greater equal", r"\geqslant": "greater equal",
    r"\gt": "greater", r"\ne": "not equal", r"\neq": "not equal", r"\equiv": "equivalent", r"\approx": "approximately",
    r"\cong": "isomorphic", r"\simeq": "similar", r"\sim": "similar", r"\propto": "proportional",
    r"\pm": "plus minus", r"\mp": "minus plus", r"\times": "times", r"\cdot": "times", r"\div": "divided",
    r"\mid": "divides", r"\nmid": "not divides", r"\in": "in", r"\notin": "not in", r"\subset": "subset",
    r"\subseteq": "subset", r"\supset": "superset", r"\supseteq": "superset", r"\cup": "union", r"\bigcup": "union",
    r"\cap": "intersection", r"\bigcap": "intersection", r"\setminus": "set minus", r"\emptyset": "empty set",
    r"\varnothing": "empty set", r"\forall": "for all", r"\exists": "exists", r"\neg": "not", r"\lnot": "not",
    r"\land": "and", r"\wedge": "and", r"\lor": "or", r"\vee": "or", r"\oplus": "direct sum", r"\otimes": "tensor",
    r"\circ": "composition", r"\perp": "perpendicular", r"\parallel": "parallel", r"\angle": "angle",
    r"\triangle": "triangle", r"\det": "determinant", r"\dim": "dimension", r"\ker": "kernel", r"\deg": "degree",
    r"\gcd": "gcd", r"\max": "maximum", r"\min": "minimum", r"\sup": "supremum", r"\inf": "infimum",
    r"\log": "logarithm", r"\ln": "logarithm", r"\exp": "exponential", r"\sin": "sine", r"\cos": "cosine",
    r"\tan": "tangent", r"\arcsin": "inverse sine", r"\arccos": "inverse cosine", r"\arctan": "inverse tangent",
    r"\sinh": "hyperbolic sine", r"\cosh": "hyperbolic cosine", r"\tanh": "hyperbolic tangent",
    r"\bar": "bar", r"\overline": "bar", r"\hat": "hat", r"\tilde": "tilde", r"\vec": "vector", r"\dot": "derivative",
    r"\ddot": "second derivative", r"\lfloor": "floor", r"\rfloor": "floor", r"\lceil": "ceiling",
    r"\rceil": "ceiling", r"\langle": "angle bracket", r"\rangle": "angle bracket", r"\ldots": "dots",
    r"\cdots": "dots", r"\dots": "dots", r"\vdots": "dots", r"\ddots": "dots",
}  # fmt: skip
"""Symbols as they are read aloud. Other commands are read by their names (\\alpha: alpha)."""

SILENT = {"left", "right", "big", "bigl", "bigr", "Big", "Bigl", "Bigr", "bigg", "Bigg", "begin", "end", "limits",
          "displaystyle", "textstyle", "quad", "qquad", "mathbb", "mathbf", "mathcal", "mathfrak", "mathrm", "mathsf",
          "boldsymbol", "operatorname", "text", "textbf", "textit", "rm", "bf", "small", "large", "hspace", "label",
          "tag", "nonumber", "color"}  # fmt: skip
"""Layout and font commands, which are not read aloud."""


def words(text: str) -> list[str]:
    """Lowercase runs of letters and digits, not stemmed."""
    return WORD.findall(text.lower())


def latex_tokens(latex: str) -> list[str]:
    """Tokens keep their case: Γ is not γ."""
    return TOKEN.findall(latex)


def spoken(latex: str) -> Iterator[str]:
    """LaTeX as English words."""
    for token in latex_tokens(latex):
        name = token.removeprefix("\\")
        if token in ENGLISH:
            yield from ENGLISH[token].split()
        elif not (name != token and name in SILENT) and name.isalnum():
            yield name


def terms(html: str, symbols: Symbols) -> list[str]:
    """The terms of canonical HTML: its words, then those of its formulas."""
    tokens = latex_tokens if symbols == "latex" else spoken
    return [*words(prose(html)), *(token for _, latex in formulas(html) for token in tokens(latex))]
