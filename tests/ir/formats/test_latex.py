"""Tables for papers."""

import pytest

from assess.ir.formats.latex import Bold, Heading, Span, cell, write_latex


def test_a_table_of_results_as_papers_print_them() -> None:
    rows = [Heading("Team_1"), ("a & b", "P", Bold(0.4336), None), Heading("Team 2"), ("c", "", 0.5, 71)]
    spans = [Span("", 2), Span("ARQMath-2", 2)]
    text = write_latex(("Run", "Flags", "nDCG'", "Topics"), rows, "50 % judged", 3, spans)
    assert text.splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{50 \% judged}",
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"\multicolumn{2}{c}{} & \multicolumn{2}{c}{ARQMath-2} \\",
        r"\cmidrule(lr){3-4}",
        r"Run & Flags & nDCG' & Topics \\",
        r"\midrule",
        r"\addlinespace \multicolumn{4}{l}{\textit{Team\_1}} \\",
        r"a \& b & P & \textbf{0.434} & -- \\",
        r"\addlinespace \multicolumn{4}{l}{\textit{Team 2}} \\",
        r"c &  & 0.500 & 71 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.016, "$-$0.02"),
        (-3, "$-$3"),
        ("TF-IDF", "TF-IDF"),
        ("< 0.001", "$<$ 0.001"),
        ("[a]*", "{[}a]{*}"),
        ("{~^}", r"\{\textasciitilde{}\textasciicircum{}\}"),
    ],
)
def test_what_latex_would_read_otherwise_is_escaped(value: object, text: str) -> None:
    assert cell(value, 2) == text
