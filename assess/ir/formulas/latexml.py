"""Presentation MathML of LaTeX through LaTeXML, if it is installed; in batches, as each start takes a second.

The commands ``latexml`` and ``latexmlpost`` (Debian package ``latexml``) are optional.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

BATCH = 500
SECONDS = 300
"""Time limit of a batch; 500 formulas take about ten seconds on one core."""

_MATHML = "{http://www.w3.org/1998/Math/MathML}math"
_PREAMBLE = r"\documentclass{article}\usepackage{amsmath,amssymb,mathtools}\begin{document}"
_REACHES_OUT = re.compile(
    r"\\(?:input|include|import|usepackage|RequirePackage|read|write|open(?:in|out)|immediate|special|csname|catcode"
    r"|[egx]?def|let|(?:re)?newcommand|newenvironment|loop|begin\s*\{document|end\s*\{document)|\\[()]|\$|(?<!\\)%|\^\^"
)
"""Commands that no formula of a post needs, and that would read or write files, or end the formula."""


def is_installed() -> bool:
    return all(map(shutil.which, ("latexml", "latexmlpost")))


def presentation(formulas: Sequence[str], seconds: int = SECONDS) -> list[str]:
    """The MathML of each formula of one batch, empty if it cannot be made; all empty if the batch takes too long."""
    safe = [place for place, tex in enumerate(formulas) if _is_safe(tex)]
    mathml = dict.fromkeys(range(len(formulas)), "")
    if safe:
        with tempfile.TemporaryDirectory() as folder:
            mathml.update(_converted(Path(folder), [(place, formulas[place]) for place in safe], seconds))
    return list(mathml.values())


def _is_safe(tex: str) -> bool:
    """Whether it can share a document with others: balanced braces, no way out of the formula."""
    depth = 0
    for mark in re.findall(r"\\.|[{}]", tex, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth < 0:
            return False
    return depth == 0 and not tex.endswith("\\") and not _REACHES_OUT.search(tex)


def _converted(folder: Path, formulas: list[tuple[int, str]], seconds: int) -> Iterator[tuple[int, str]]:
    lines = [rf"\par\noindent Q{place}Q \({' '.join(tex.split())}\)" for place, tex in formulas]
    (folder / "formulas.tex").write_text("\n".join([_PREAMBLE, *lines, r"\end{document}"]), encoding="utf-8")
    steps = (
        ["latexml", "--quiet", "--quiet", "--destination=formulas.xml", "formulas.tex"],
        ["latexmlpost", "--quiet", "--quiet", "--pmml", "--format=xhtml", "--destination=out.xhtml", "formulas.xml"],
    )
    for command in steps:
        try:
            subprocess.run(command, cwd=folder, timeout=seconds, check=True, capture_output=True)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return
    yield from _read(folder / "out.xhtml")


def _read(file: Path) -> Iterator[tuple[int, str]]:
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    for math in etree.parse(file, parser).iter(_MATHML):
        if match := re.search(r"Q(\d+)Q\s*$", _text_before(math)):
            yield int(match[1]), etree.tostring(math, encoding="unicode", with_tail=False)


def _text_before(element: etree._Element) -> str:
    previous, parent = element.getprevious(), element.getparent()
    if previous is not None:
        return previous.tail or ""
    return (parent.text or "") if parent is not None else ""
