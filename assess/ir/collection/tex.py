r"""TeX as readers see it: what the labs' conversion broke is repaired for the page, and lines become lines. The stored
TeX, from which visual ids are computed, stays as it is. And LaTeX in the prose of canonical HTML, which the site
renders and the collection has as plain text: environments (in 4 % of posts) and references to equations."""

import re
from collections.abc import Collection

from assess.ir.collection.mathml import readable

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
_MATRIX = re.compile(r"\\begin\{(?P<name>[bBpvV]?matrix|cases)\}(?P<brace>\{)")
_END_OF_DOCUMENT = re.compile(r"(?:(?<!\$)\$++\s*+|(?<!\s)\s*+)\\par\s*+\\end\{document\}")
_EQNARRAY = r"\@@eqnarray"
"""What the conversion left of an ``eqnarray``: the cells follow, between dollars."""
_DOLLAR = re.compile(r"\$\$|\$(?=\\displaystyle)|\$(?=\s*(?:&|\\\\|$))")
_BLANK = re.compile(r"(?:\\displaystyle|\{\}|\s)*")
_SIGN = re.compile(r"(?:\\hfil\s*)?&\s*\\displaystyle\s*(lt|gt);")
"""``<`` or ``>`` that the conversion took for the start of a cell."""
_TOKEN = re.compile(
    r"(?P<open>\{|\\(?:begin|left)(?![a-zA-Z]))|(?P<close>\}|\\(?:end|right)(?![a-zA-Z]))"
    r"|(?P<row>\\\\(?:\[-?[\d.]++\s*+\w*+\])?)|(?P<cell>&)|\\.",
    re.DOTALL,
)
_DISPLAYED = re.compile(
    r"\\begin\{(?:align|alignat|eqnarray|equation|flalign|gather|multline)\*?\}"
    r"|\\(?:eqalign(?:no)?|displaylines)(?![a-zA-Z])"
)
_INNER = re.compile(r"\\begin\{(?:(?:aligned|alignedat|gathered|split)\}|array\}(?:\[\])?\{rcl\})")
LONGEST = 10_000
"""Longer formulas, which nobody reads, are not repaired: the time for it grows faster than their length."""


def legible(tex: str) -> str:
    r"""`readable` TeX with its matrices repaired. Several lines in no environment (``a \\ b``), which MathJax would
    set side by side, get one."""
    tex = readable(tex)
    return in_environment(with_matrices(tex)) if len(tex) <= LONGEST else tex


def is_of_lines(tex: str) -> bool:
    """Whether a formula takes lines of its own, even between single dollars: a displayed environment, or an inner one
    of several lines."""
    return bool(_DISPLAYED.search(tex)) or (r"\\" in tex and bool(_INNER.search(tex)))


def with_matrices(tex: str) -> str:
    r"""TeX with matrices of plain TeX as environments. Of ``\pmatrix{a&b\cr c&d}`` the conversion made
    ``\begin{pmatrix}{a\hfil&b\\ c&\end{pmatrix}}``, or put the end after the formula. (It lost the last cell.)"""
    if r"\hfil" not in tex:
        return tex
    tex = _SIGN.sub(lambda sign: "<" if sign[1] == "lt" else ">", _END_OF_DOCUMENT.sub("", tex))
    start = 0
    while matrix := _MATRIX.search(tex, start):
        tex, start = _with_environment(tex, matrix), matrix.end()
    return tex


def _with_environment(tex: str, matrix: re.Match[str]) -> str:
    close = _group_end(tex, matrix.end())
    cells, rest = tex[matrix.end() : close], tex[close + 1 :]
    if r"\hfil" not in cells:
        return tex
    end = rf"\end{{{matrix['name']}}}"
    if cells.endswith(end):
        cells = cells.removesuffix(end)
    else:
        rest = rest.replace(end, "", 1)
    cells = re.sub(r"\\cr(?![a-zA-Z])", r"\\\\", re.sub(r"\\hfil(?![a-zA-Z])", "", cells))
    cells = re.sub(r"&\s*\Z", "&{}", cells)  # the converter to MathML drops a row that ends with &
    return tex[: matrix.start("brace")] + cells + end + rest


def _group_end(tex: str, start: int) -> int:
    """Where the brace closes that was opened before the start; the end of the TeX if it never does."""
    depth = 1
    for token in _TOKEN.finditer(tex, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.start()
    return len(tex)


def in_environment(tex: str) -> str:
    r"""TeX with an environment around its lines, if ``\\`` separates several outside of all groups."""
    environment, start, end = "gathered", "", ""
    if _EQNARRAY in tex:
        start, tex = _DOLLAR.sub("", tex).replace(r"\displaystyle amp;", r"\displaystyle ").split(_EQNARRAY, 1)
        environment, end = "array", "{rcl}"
    lines, is_aligned = _lines(tex)
    if len(lines) < 2:
        return start + tex
    if is_aligned and not end:
        environment = "aligned"
    rows = r"\\ ".join(lines)
    return rf"{start}\begin{{{environment}}}{end}{rows}\end{{{environment}}}"


def _lines(tex: str) -> tuple[list[str], bool]:
    """The lines with something in them, and whether ``&`` aligns them."""
    depth, start, lines, is_aligned = 0, 0, [], False
    for token in _TOKEN.finditer(tex) if r"\\" in tex else ():
        depth += {"open": 1, "close": -1}.get(token.lastgroup or "", 0)
        if depth == 0 and token.lastgroup == "row":
            lines.append(tex[start : token.start()])
            start = token.end()
        is_aligned |= depth == 0 and token.lastgroup == "cell"
    return [line.strip() for line in (*lines, tex[start:]) if not _BLANK.fullmatch(line)], is_aligned


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
