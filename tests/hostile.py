"""Texts that make careless code slow: each shape, repeated, was or could be quadratic in the length."""

from collections.abc import Callable

FORMULA = '<span class="math-container" data-formula-id="1">'
ENVIRONMENTS = "".join(rf"\begin{{{name}}}" for name in ("align", "align*", "array", "cases", "gather", "split"))
REPEATED = {
    "attributes without a tag's end": "<a b=c ",
    "bold paragraphs": "<b><p>",
    "code without an end": "<code>",
    "comments": "<!-- -->",
    "comments without an end": "<!--",
    "dollars": "$",
    "dollars of money": "$x ",
    "ends of elements never opened": "</sub>",
    "entities": "&amp;lt;",
    "environments": r"\begin{align}x\end{align}",
    "environments of all kinds without an end": ENVIRONMENTS,
    "environments without an end": r"\begin{align}",
    "environments with formulas": rf"\begin{{align}}\mbox{{{FORMULA}x</span>",
    "escaped dollars": r"$\$",
    "formulas": f"{FORMULA}x</span>",
    "formulas without an end": '<span class="math-container">',
    "images": "<img src=//a.org/b.png>",
    "less-than signs": "<",
    "links": "<a href=https://math.stackexchange.com/q/1>x</a>",
    "lists in lists": "<ul><li>",
    "mixed up elements": "<b><i></b><p></i><a href=//a.org><table><tr>x<li>",
    "matrices of plain TeX": rf"{FORMULA}" + r"\begin{matrix}{a\hfil" * 300 + "</span>",
    "nested blocks": "<blockquote>",
    "null characters": "\0",
    "preformatted lines": "<pre>\n",
    "quotation marks": "<a href=\"<b title='",
    "references": rf"\eqref{{a}}{FORMULA}\tag{{b}}\label{{a}}\\ </span>",
    "scripts without an end": "<script>",
    "spans without an end of the tag": "<span math-container ",
    "starts of tags": "<a",
    "tables in tables": "<table><td>",
    "tables of loose text": "<table>x<br>",
}
"""The names of the shapes, with what is repeated."""


def within(start: str, end: str, piece: str) -> Callable[[int], str]:
    return lambda length: start + piece * (length // len(piece)) + end


SHAPES: dict[str, Callable[[int], str]] = {
    **{name: within("", "", piece) for name, piece in REPEATED.items()},
    "a long link in many paragraphs": lambda n: f'<p><a href="//{"a" * (n // 2)}">' + "<p>x" * (n // 8),
    "a long name of an attribute": within("<img ", ">", "a"),
    "ampersands in a formula": within(FORMULA, "</span>", "& "),
    "backslashes": within("$", "{$", "\\"),
    "braces in a formula": lambda n: f"{FORMULA}{'{' * (n // 2)}x{'}' * (n // 2)}</span>",
    "different attributes": lambda n: f"<a {' '.join(f'a{number}=' for number in range(n // 7))}>",
    "different formatting of paragraphs": lambda n: (
        "<p>" + "".join(f"<b a={number}>" for number in range(n // 20)) + "<p>x" * (n // 8)
    ),
    "dollars around a formula": within('<span class="math-container">', "x</span>", "$"),
    "many attributes": within("<a ", ">x</a>", "b=c "),
    "punctuation after a formula": within(f"{FORMULA}x</span>", "", "."),
    "quotation marks in an attribute": within("<a title='", "'>x</a>", '"'),
    "sizes of brackets": within(FORMULA, "</span>", r"\big "),
    "white space": within("<p>x", "x</p>", " \n"),
    "white space in a formula": within('<span class="math-container">&', "x</span>", " "),
    "white space in a tag": within("<span", "math-container", " "),
}
