"""The terms of a post: its words, and its LaTeX as tokens or as English words."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from assess.ir.collection.html import formulas, prose

Symbols = Literal["latex", "words"]
"""How LaTeX becomes terms: as tokens, or with symbols mapped to English words, so that \\int in a formula matches
"integral" in a sentence (the second TF-IDF baseline of ARQMath-3)."""

WORD = re.compile(r"[^\W_]+")
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[a-zA-Z]+|\d+|[^\s{}$&\\]")
"""A command, an escaped character, a run of letters, a number, or one other character; not braces, dollars and
alignment marks. Tokens keep their case: Γ is not γ."""

SYMBOLS = tomllib.loads((Path(__file__).parent / "symbols_aloud.toml").read_text(encoding="utf-8"))
ENGLISH: dict[str, str] = SYMBOLS["aloud"]
SILENT = frozenset[str](SYMBOLS["silent"])


def words(text: str) -> list[str]:
    """Lowercase runs of letters and digits, not stemmed."""
    return WORD.findall(text.lower())


def spoken(latex: str) -> Iterator[str]:
    for token in TOKEN.findall(latex):
        name = token.removeprefix("\\")
        if token in ENGLISH:
            yield from ENGLISH[token].split()
        elif not (name != token and name in SILENT) and name.isalnum():
            yield name


def terms(html: str, symbols: Symbols) -> list[str]:
    """The terms of canonical HTML: its words, then those of its formulas."""
    tokens = TOKEN.findall if symbols == "latex" else spoken
    return [*words(prose(html)), *(token for _, latex in formulas(html) for token in tokens(latex))]
