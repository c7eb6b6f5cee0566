"""Symbol Layout Trees: which formulas look alike, and how well they reproduce the labs' visual ids."""

import io
from collections.abc import Sequence

import pytest

from assess.ir.collection.mathml import readable
from assess.ir.common.rows import FormulaRow
from assess.ir.formulas.layout import as_string, walk
from assess.ir.formulas.slt import NoTree, from_latex, from_mathml, key
from tests.ir.formats.readers import iter_formulas
from tests.real import data_file


def tex(source: str) -> str:
    return as_string(from_latex(source))


def math(inner: str) -> str:
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{inner}</math>'


def xml(inner: str) -> str:
    return as_string(from_mathml(math(inner)))


def test_the_tree_of_a_polynomial_is_that_of_the_paper_and_mathml_is_understood() -> None:
    visits = [f"{visit.edge} {visit.node.label}".strip() for visit in walk(from_latex("x^2+4x+4=0"))]
    assert visits == ["V!x", "a N!2", "n +", "n N!4", "n V!x", "n +", "n N!4", "n =", "n N!0"]
    assert key('<?xml version="1.0"?> <math alttext="x"><mi>x</mi></math>') == "V!x"


@pytest.mark.parametrize(
    ("source", "string"),
    [
        ("x", "V!x"),
        ("x_1^2", "V!x a0 N!2 b0 N!1"),
        (r"\frac{1}{n}", "F! o0 N!1 u0 V!n"),
        (r"\sqrt{x}", "R! w0 V!x"),
        (r"\sqrt[3]{x}", "R! c0 N!3 w0 V!x"),
        (r"\bar{x}", "V!x o0 ¯"),
        (r"\sin x", "T!sin n0 V!x"),
        ("f(x,y)", "V!f n0 M!()1x2 w0 V!x e1 V!y"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "M!()2x2 w0 N!1 e1 N!2 e2 N!3 e3 N!4"),
        (r"a\,b", "V!a n0 V!b"),
        (r"\quad", "W!"),
    ],
)
def test_each_structure_has_its_node_and_its_edges(source: str, string: str) -> None:
    assert tex(source) == string


@pytest.mark.parametrize(
    ("inner", "string"),
    [
        (
            "<mmultiscripts><mi>F</mi><mn>1</mn><none/><mprescripts/><mn>2</mn><mn>3</mn></mmultiscripts>",
            "V!F b0 N!1 c0 N!3 d0 N!2",
        ),
        ("<semantics><mi>x</mi><annotation>y</annotation></semantics>", "V!x"),
        ("<mi>&alpha;</mi><mo>&lt;</mo><mn>1</mn>", "V!α n0 < n0 N!1"),
        ("<mi>a</mi><mo><</mo><mi>b</mi>", "V!a n0 < n0 V!b"),  # not escaped
        ("<mi>a</mi><mo>&</mo><mi>b</mi>", "V!a n0 & n0 V!b"),
    ],
)
def test_prescripts_annotations_entities_and_stray_characters_are_understood(inner: str, string: str) -> None:
    assert xml(inner) == string


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x^2+1", "x^{2+1}"),
        ("x_1^2", "x_2^1"),
        (r"\mathbb{R}", "R"),
        (r"\mathcal{A}", r"\mathfrak{A}"),
        (r"\overline{x^2}", r"\bar{x}^2"),
        (r"\epsilon", r"\varepsilon"),
        ("{x^2}^3", "x^{23}"),
        (r"\sqrt{x}y", r"\sqrt{xy}"),
        ("(a,b)", "(a,b]"),
        ("(a,b)", "(ab)"),
        ("a,", "a"),
    ],
)
def test_formulas_that_look_different_have_different_strings(first: str, second: str) -> None:
    assert tex(first) != tex(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x_1^2", "x^2_1"),
        ("{a^{2}=2b^{2}}", "a^2=2b^{2}"),
        (r"m\ne 0", r"m\not=0"),
        (r"\frac12", r"{1\over 2}"),
        (r"\left(x\right)^2", "(x)^{2}"),
        (r"\lim\limits_{x\to 0}", r"\lim_{x\rightarrow 0}"),
        (r"\sum_{i}^{n}", r"\sum\limits_{i}^n"),
        (r"\mathrm{R}", "R"),
        (r"\mathbf{x}", "x"),
        (r"\mathrm{sin}", r"\sin"),
        (r"\text{if } x", r"\text{if}\;x"),
        ("1,2,...,n", r"1,2,\ldots,n"),
        ("f''", r"f^{\prime\prime}"),
        (r"\{x\mid y\}", r"\{x|y\}"),
        (r"{n \choose k}", r"\binom{n}{k}"),
        (r"a \tag{1}", "a"),
        (r"\ x\quad ", "x"),
        (r"1 2", "12"),
        (r"\binom{n}{k}^2", r"{n \choose k}^2"),
        (r"x^\binom{n}{k}", r"x^{n \choose k}"),
        (r"x\par", "x"),
        (r"\big{(}x\Bigr{\}}", r"(x\}"),
        (r"\bigl\langle x\bigr\rangle", r"\langle x\rangle"),
    ],
)
def test_formulas_that_look_alike_have_the_same_string(first: str, second: str) -> None:
    assert tex(first) == tex(second)


@pytest.mark.parametrize(
    ("source", "markup"),
    [
        (r"\mathbb{R}^n", "<msup><mi>ℝ</mi><mi>n</mi></msup>"),
        (r"\mathbf{x}", "<mi>𝐱</mi>"),
        ("f(x)", "<mrow><mi>f</mi><mo>\u2061</mo><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow></mrow>"),
        ("(x)^2", "<msup><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow><mn>2</mn></msup>"),
        ("2x-1,000", "<mrow><mn>2</mn><mo>\u2062</mo><mi>x</mi></mrow><mo>−</mo><mn>1,000</mn>"),
        (r"\binom{n}{k}", '<mo>(</mo><mfrac linethickness="0pt"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>'),
        (r"\sum_k^n", "<munderover><mo>∑</mo><mi>k</mi><mi>n</mi></munderover>"),
        (r"(a,b)", "<mfenced><mi>a</mi><mi>b</mi></mfenced>"),
    ],
)
def test_the_markup_of_another_converter_gives_the_same_string(source: str, markup: str) -> None:
    assert xml(markup) == tex(source)


def test_deep_markup_and_declared_entities_are_refused_but_not_long_and_bracketed_lines() -> None:
    bomb = '<!DOCTYPE math [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><math><mi>&b;</mi></math>'
    with pytest.raises(NoTree, match="document type"):
        from_mathml(bomb)
    with pytest.raises(NoTree, match="nested deeper"):
        from_mathml(math("<mrow>" * 150 + "<mi>x</mi>" + "</mrow>" * 150))
    assert as_string(from_mathml(math("<mo>(</mo>" * 3000 + "<mo>)</mo>" * 3000))).count("M!()1x1") == 2999
    assert len(list(walk(from_mathml(math("<mi>x</mi>" * 20_000))))) == 20_000


def test_input_that_is_not_a_formula_or_cannot_be_converted_gives_no_tree() -> None:
    for source in ("", "no markup", "<math><msup><mi>x</mi></msup></math>", "<math><merror>\\foo</merror></math>"):
        with pytest.raises(NoTree):
            from_mathml(source)
    for source in ("", r"\unknowncommand x", r"n\in\Z", r"\@@eqnarray x", r"\frac{", "{" * 5000 + "}" * 5000):
        with pytest.raises(NoTree):
            from_latex(source)
    for formula in (r"\foo  x ", "<math><merror><mtext>\\binom</mtext></merror></math>", "<math "):
        assert key(formula) == formula.replace(" ", "")


def precision_and_recall(truth: Sequence[str], ours: Sequence[str]) -> tuple[float, float]:
    """The share of the pairs joined by ours that the truth joins too, and of those joined by the truth that ours do."""
    from sklearn.metrics.cluster import pair_confusion_matrix  # takes seconds

    (_, only_ours), (only_true, both) = pair_confusion_matrix(truth, ours)
    return both / (both + only_ours), both / (both + only_true)


def real(path: str) -> dict[str, FormulaRow]:
    text = data_file(path).read_bytes().replace(b"topic_id", b"post_id", 1)
    return {row.formula_id: row for row in iter_formulas(io.BytesIO(text), path)}


@pytest.fixture(scope="module")
def index() -> dict[str, FormulaRow]:
    return real("formula-index/formulas.v3.tsv")


def test_trees_separate_real_formulas_that_share_their_latex() -> None:
    """The topic's text of the second is escaped twice, and the lab converted it so: & l t ; are in its tree."""
    latex = real("topic-formulas/2020_formulas_latex.tsv")
    trees = real("topic-formulas/2020_formulas_slt.tsv")
    first, second = "q_400", "q_404"
    assert {readable(latex[each].latex) for each in (first, second)} == {"0 < r < p-1"}
    assert key(trees[first].latex) != key(trees[second].latex)


@pytest.mark.parametrize(("year", "precision", "formulas"), [("2020", 0.998, 842), ("2021", 1, 838)])
def test_trees_of_latex_give_the_clusters_of_the_labs_mathml(year: str, precision: float, formulas: int) -> None:
    trees = real(f"topic-formulas/{year}_formulas_slt.tsv")
    latex = real(f"topic-formulas/{year}_formulas_latex.tsv")
    sound = [formula for formula in latex if formula in trees and "ltx_ERROR" not in trees[formula].latex]
    shares = precision_and_recall(*([key(rows[formula].latex) for formula in sound] for rows in (trees, latex)))
    assert len(sound) == formulas
    assert shares[0] >= precision
    assert shares[1] == 1


def test_clusters_are_nearly_those_of_the_lab(index: dict[str, FormulaRow]) -> None:
    """Over the first 8,000 formulas."""
    rows = list(index.values())[:8000]
    keys = {latex: key(latex) for latex in {row.latex for row in rows}}
    precision, recall = precision_and_recall([row.visual_id for row in rows], [keys[row.latex] for row in rows])
    assert precision > 0.96
    assert recall > 0.999
