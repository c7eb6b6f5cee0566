r"""LaTeX in the prose of canonical HTML, which the site renders and the collection has as plain text: environments (in
4 % of posts) and references to equations."""

import re
from collections.abc import Collection

FORMULA = re.compile(r'<span class="math-container" data-formula-id="([^"]*)"( data-display="block")?>([^<]*)</span>')
"""Its id, whether it is displayed, and its TeX, escaped."""
DISPLAYED = '<span class="math-container" data-formula-id="" data-display="block">{}</span>'
"""A displayed formula without an id; takes its TeX, escaped."""

_NAMES = "align|alignat|aligned|array|cases|eqnarray|equation|flalign|gather|gathered|[bBpvV]?matrix|multline|split"
_SKIPPED = rf"<(?P<verbatim>pre|code)\b.*?(?:</(?P=verbatim)>|\Z)|{FORMULA.pattern}|<[^<>]*>"
"""What holds neither: code, formulas and tags."""
_BARE = re.compile(
    rf"{_SKIPPED}|(?P<bare>\\begin\{{(?P<name>(?:{_NAMES})\*?)\}}"
    r"(?:(?!\\begin\{(?P=name)\})(?:[^<]|<span class=\"math-container\"[^<>]*>[^<]*</span>))*?\\end\{(?P=name)\})",
    re.DOTALL,
)
_REFERENCE = re.compile(
    rf"{_SKIPPED}|(?P<bracket>\()?\\(?:eq)?ref\s*\{{(?P<label>[^{{}}<>]*)\}}(?(bracket)\))", re.DOTALL
)
_IN_TEXT = re.compile(r"\\(?:hbox|intertext|mbox|tag\*?|text\w*)\s*\{[^{}]*\Z")
_LONGEST_TEXT = 300
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")


def with_environments(html: str, highlight: Collection[str] = ()) -> str:
    """Canonical HTML with the environments in its text as formulas without an id: what readers see. Formulas in an
    environment become a part of it, except one in ``highlight``, which is judged by itself."""
    if "\\begin{" not in html:
        return html

    def shown(match: re.Match[str]) -> str:
        bare = match["bare"]
        if not bare or any(formula[0] in highlight for formula in FORMULA.findall(bare)):
            return match[0]
        return DISPLAYED.format(FORMULA.sub(lambda inner: _merged(bare, inner), bare))

    return _BARE.sub(shown, html)


def _merged(environment: str, formula: re.Match[str]) -> str:
    """The TeX of a formula in an environment, between dollars in its text."""
    is_in_text = _IN_TEXT.search(environment, max(0, formula.start() - _LONGEST_TEXT), formula.start())
    return f"${formula[3]}$" if is_in_text else formula[3]


def with_references(html: str) -> str:
    r"""Canonical HTML with ``\ref`` and ``\eqref`` in its text as the tag of the line with that label, in parentheses,
    or as the label itself if no line has it, or no tag."""
    if "ref{" not in html:
        return html
    lines = [line for _id, _block, tex in FORMULA.findall(html) for line in tex.split(r"\\")]
    tags = {label: _TAG.search(line) for line in lines for label in _LABEL.findall(line)}

    def shown(match: re.Match[str]) -> str:
        tag = tags.get(match["label"])
        return match[0] if match["label"] is None else f"({tag[1].replace('$', '') if tag else match['label']})"

    return _REFERENCE.sub(shown, html)
