"""Math tuples, against the tables of the MathDowsers paper of 2022 (section 3)."""

from collections import Counter

import pytest

from assess.ir.baselines import formulas
from assess.ir.baselines.formulas import tuples_of_latex, tuples_of_tree
from assess.ir.formulas.slt import from_latex

FIGURE_4 = "x^2 = 3^x + 2x"

TABLE_1 = [
    *("(V!x,N!2,a)", "(V!x,=,n)", "(=,N!3,n)", "(N!3,V!x,a)", "(N!3,+,n)", "(+,N!2,n)", "(N!2,V!x,n)"),  # pairs
    *("(N!2,φ)", "(V!x,φ)", "(V!x,φ)"),  # terminal symbols
    *("(V!x,na)", "(N!3,na)"),  # compound symbols
]
DUPLICATES = ["(V!x..nnn,a)", "(V!x..na,-)", "(N!2..nnn,a)"]  # without that of the first and the last x
TABLE_2 = [
    *("(V!x,N!2,a,@-)", "(V!x,=,n,@-)", "(=,N!3,n,@-)", "(N!3,V!x,a,@n)", "(N!3,+,n,@n)", "(+,N!2,n,@nn)"),
    *("(N!2,φ,@a)", "(V!x,φ,@na)", "(V!x,na,@-)", "(N!3,na,@n)"),
    *("(V!x..nnn,a,@n)", "(V!x..na,-,@-)", "(N!2..nnn,a,@-)"),
]
FURTHER_DOWN = ["(N!2,V!x,n,@nnn)", "(V!x,φ,@nnnn)"]


def without_kinds(located: bool) -> Counter[str]:
    """The tuples of figure 4 with the symbols themselves."""
    found = tuples_of_tree(from_latex(FIGURE_4))
    return Counter(term for term in found if ("@" in term) == located and not term.startswith("(?"))


def test_the_tuples_of_figure_4_are_those_of_tables_1_and_2(monkeypatch: pytest.MonkeyPatch) -> None:
    assert without_kinds(located=False) == Counter(TABLE_1 + DUPLICATES)
    assert without_kinds(located=True) == Counter(TABLE_2 + FURTHER_DOWN)
    monkeypatch.setattr(formulas, "LONGEST_LOCATION", 4)
    assert without_kinds(located=True) == Counter(TABLE_2)


def test_duplicates_are_repeated_with_the_kind_of_their_symbol_whatever_the_white_space() -> None:
    wild = {term for term in tuples_of_latex(FIGURE_4) if term.startswith("(?") and "@" not in term}
    assert wild == {"(?V..na,-)", "(?V..nnn,a)", "(?N..nnn,a)"}
    assert wild <= set(tuples_of_latex(FIGURE_4.replace("x", "y")))
    assert Counter(tuples_of_latex(r"x \quad = y")) == Counter(tuples_of_latex("x=y"))


def test_duplicates_grow_with_the_formula_not_with_its_square() -> None:
    rows = [r"X & 0 & 1 & 2", *(rf"{row} & p_{{{row},0}} & p_{{{row},1}} & p_{{{row},2}}" for row in range(3))]
    matrix = r"\begin{array}{cccc}" + r"\\".join(rows) + r"\end{array}"
    symbols = Counter(matrix[matrix.index("X") :])
    assert (symbols["0"], symbols["1"], symbols["2"], symbols["p"]) == (8, 8, 8, 9)
    names = ("N!0", "N!1", "N!2", "p")
    duplicates = [
        term for term in tuples_of_latex(matrix) if "@" not in term and any(f"{name}.." in term for name in names)
    ]
    assert len(duplicates) == 7 + 7 + 7 + 8  # the 29 of the paper
    assert not any("V!" in term for latex in ("", r"\notacommand{x}") for term in tuples_of_latex(latex))
