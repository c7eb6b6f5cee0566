"""Tables for papers, in LaTeX with the package booktabs."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
SPECIAL |= {character: f"\\{character}" for character in "&%$#_{}"}
SPECIAL |= {character: f"${character}$" for character in "<>|"}
SPECIAL |= {character: f"{{{character}}}" for character in "[*"}  # after a line break they would be its arguments
DECIMALS = 2


class Bold(NamedTuple):
    """A number or text in bold, as the best of a column."""

    value: object


class Heading(NamedTuple):
    """A row that is a heading of those below it."""

    text: str


class Span(NamedTuple):
    """A head over several columns, which a line marks; an empty ``text`` leaves them without one."""

    text: str
    columns: int


Row = Sequence[object] | Heading


def escaped(text: str) -> str:
    return "".join(SPECIAL.get(character, character) for character in text)


def cell(value: object, decimals: int) -> str:
    """A number with at most so many decimals, None as a dash, a text escaped."""
    if isinstance(value, Bold):
        return rf"\textbf{{{cell(value.value, decimals)}}}"
    if value is None:
        return "--"
    text = f"{value:.{decimals}f}" if isinstance(value, float) else escaped(str(value))
    return text.replace("-", "$-$", 1) if isinstance(value, int | float) else text


def write_latex(header: Sequence[str], rows: Sequence[Row], caption: str, decimals: int, spans: Sequence[Span]) -> str:
    """A table with texts on the left and numbers on the right; a column's first row decides. ``spans`` stand over the
    header and cover all its columns. Line by line, so that it can be pasted."""
    first = next((row for row in rows if not isinstance(row, Heading)), [""] * len(header))
    columns = "".join("l" if isinstance(value, str) else "r" for value in first)
    head = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *span_lines(spans), row_line(header, 0, decimals)]
    table = [*head, r"\midrule", *(row_line(row, len(header), decimals) for row in rows)]
    caption = rf"\caption{{{escaped(caption)}}}"
    end = [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join([r"\begin{table}", r"\centering", caption, *table, *end]) + "\n"


def row_line(row: Row, width: int, decimals: int) -> str:
    if isinstance(row, Heading):
        return rf"\addlinespace \multicolumn{{{width}}}{{l}}{{\textit{{{escaped(row.text)}}}}} \\"
    return " & ".join(cell(value, decimals) for value in row) + r" \\"


def span_lines(spans: Sequence[Span]) -> Iterator[str]:
    """The row of heads over several columns, and the lines below them."""
    if spans:
        yield " & ".join(rf"\multicolumn{{{columns}}}{{c}}{{{escaped(text)}}}" for text, columns in spans) + r" \\"
        ends = accumulate(columns for _, columns in spans)
        places = [(end - span.columns + 1, end) for span, end in zip(spans, ends, strict=True) if span.text]
        yield " ".join(rf"\cmidrule(lr){{{begin}-{end}}}" for begin, end in places)
