"""Tables of the results as files: CSV for spreadsheets and programs, LaTeX for papers."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.http import Http404, HttpResponse

from assess.ir.formats.latex import Row, Span, write_latex
from assess.ir.formats.table import harmless
from assess.web.common.responses import attachment

TYPES = {"csv": "text/csv; charset=utf-8", "tex": "application/x-tex; charset=utf-8"}


class FileTable(NamedTuple):
    """A table with a header, as it stands in a file. ``latex_header``, ``latex_rows`` and ``spans``: what a paper shows
    instead of header and rows, if that differs."""

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str
    decimals: int = 3
    latex_header: Sequence[str] = ()
    latex_rows: Sequence[Row] = ()
    spans: Sequence[Span] = ()


def as_attachment(tables: Iterable[FileTable], name: str, file_format: str) -> HttpResponse:
    """The tables below each other. Raises Http404 for an unknown format."""
    if file_format not in TYPES:
        raise Http404
    text = as_csv(tables) if file_format == "csv" else as_latex(tables)
    return attachment(text, f"{name}.{file_format}", TYPES[file_format])


def as_csv(tables: Iterable[FileTable]) -> str:
    """With an empty line between the tables; numbers in full."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, table in enumerate(tables):
        writer.writerows([[]] if number else [])
        writer.writerows([harmless(cell) for cell in row] for row in (table.header, *table.rows))
    return out.getvalue()


def as_latex(tables: Iterable[FileTable]) -> str:
    heads = ((table, table.latex_header or table.header, table.latex_rows or table.rows) for table in tables)
    made = (write_latex(header, rows, table.caption, table.decimals, table.spans) for table, header, rows in heads)
    return "\n".join(["% needs \\usepackage{booktabs}", *made])
