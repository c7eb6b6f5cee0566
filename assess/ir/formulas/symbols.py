"""The characters of formulas: which of them look alike, and where one symbol ends and the next begins."""

import re
import unicodedata
from functools import lru_cache

WHITE = "W!"
SLASH = "⧸"
OPENING, CLOSING = frozenset("([{⟨⌊⌈"), frozenset(")]}⟩⌋⌉")
BIG = frozenset("∑∏∐⋃⋂⋁⋀⨁⨂⨀⨄⨆⨅∫∬∭⨌∮∯∰")
"""Operators whose limits go under and over them, or beside them as scripts, depending on the style."""

ALPHABETS = {"DOUBLE-STRUCK": "double-struck", "SCRIPT": "script", "FRAKTUR": "fraktur", "BLACK-LETTER": "fraktur"}
"""Their letters are distinct symbols (ℝ is not R); bold, italic, upright and sans serif are only fonts."""

_ALIKE = {
    "-": "−‐‑˗",
    "*": "∗",
    ":": "∶",
    "|": "∣❘ǀ",
    "‖": "∥",
    "'": "′’",
    "''": "″",
    "'''": "‴",
    "''''": "⁗",
    ":=": "≔",
    "⟨": "\u2329\u3008",
    "⟩": "\u232a\u3009",
    "¯": "‾―_\u0304\u0305",
    "^": "ˆ",
    "~": "˜",
    "→": "\u20d7",
    "\\": "∖",
    "·": "⋅∙",
    "∘": "◦",
    "Ω": "\u2126",
    "μ": "µ",
    "∅": "⌀",
    "": "\u2061\u2062\u2063\u2064\u200b\ufeff",
}
"""Characters that look like another one, or like nothing (invisible operators), by what they look like."""

_LOOKS = {ord(char): shown for shown, chars in _ALIKE.items() for char in chars}
_TOKEN = re.compile(r"\d+(?:\.\d+)*|\.\d+|[^\W\d_]+|\s+|\S[\u0300-\u036f]*")


def _alphabets() -> tuple[dict[int, str], dict[tuple[str, str], str]]:
    """What each styled letter folds to, and the letter of an alphabet by its plain form."""
    folded: dict[int, str] = {}
    styled: dict[tuple[str, str], str] = {}
    for code in (*range(0x2100, 0x2150), *range(0x1D400, 0x1D800)):
        kind, _, plain = unicodedata.decomposition(chr(code)).partition(" ")
        if kind != "<font>":
            continue
        letter, name = chr(int(plain, 16)), unicodedata.name(chr(code))
        alphabet = next((value for word, value in ALPHABETS.items() if word in name), "")
        folded[code] = styled.setdefault((alphabet, letter), chr(code)) if alphabet else letter
    return folded, styled


_FOLDED, _STYLED = _alphabets()


def letters(text: str, variant: str) -> str:
    """The characters that a token shows under its ``mathvariant``."""
    alphabet = next((name for name in ALPHABETS.values() if name in variant), "")
    return "".join(_STYLED.get((alphabet, char), char) for char in text) if alphabet else text


@lru_cache(maxsize=20_000)
def tokens(text: str) -> tuple[str, ...]:
    """The labels of the symbols in a text, by appearance: numbers, words, letters, white space, operators."""
    return tuple(map(_label, _TOKEN.findall(text.translate(_FOLDED).translate(_LOOKS))))


def _label(token: str) -> str:
    if token.isspace():
        return WHITE
    if token[-1].isdigit():
        return f"N!{token}"
    if token.isalpha():
        return f"V!{token}" if len(token) == 1 else f"T!{token}"
    return unicodedata.normalize("NFC", token)


def struck(symbol: str) -> str:
    """A symbol with a slash through it, as ``\\not`` makes it."""
    return unicodedata.normalize("NFC", symbol + "\u0338")
