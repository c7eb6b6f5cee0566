"""Tables for papers, in LaTeX with the package booktabs."""

from collections.abc import Sequence

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
SPECIAL |= {character: f"\\{character}" for character in "&%$#_{}"}


def escaped(text: str) -> str:
    return "".join(SPECIAL.get(character, character) for character in text)


def cell(value: object) -> str:
    """A number with at most two decimals, None as a dash, a text escaped."""
    if value is None:
        return "--"
    return f"{value:.2f}" if isinstance(value, float) else escaped(str(value))


def write_latex(header: Sequence[str], rows: Sequence[Sequence[object]], caption: str) -> str:
    """A table with texts on the left and numbers on the right; a column's first row decides. Line by line, so that it
    can be pasted."""
    columns = "".join("l" if isinstance(value, str) else "r" for value in rows[0]) if rows else "l" * len(header)
    lines = [" & ".join(map(cell, row)) + r" \\" for row in (header, *rows)]
    table = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
    caption = rf"\caption{{{escaped(caption)}}}"
    return "\n".join([r"\begin{table}", r"\centering", caption, *table, r"\end{tabular}", r"\end{table}"]) + "\n"
