r"""TeX as readers see it. The broken formulas are those of the collection: their posts have these ids."""

import re
from html import unescape

import pytest

from assess.ir.collection.html import canonical, display
from assess.ir.collection.mathml import mathml
from assess.ir.collection.tex import is_of_lines, legible
from assess.ir.formats.posts import iter_posts
from tests.real import data_file


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        (  # 2277507
            r"\begin{pmatrix}{1\hfil&amp;a&amp;b\\ 0&amp;1&amp;c\\ 0&amp;0&\end{pmatrix}}",
            r"\begin{pmatrix}1&a&b\\ 0&1&c\\ 0&0&{}\end{pmatrix}",
        ),
        (  # 353546, shortened: the ends stand after the formula
            r"\left(\begin{matrix}{I\hfil&amp;A\\ B&amp;tI}\right)\left(\begin{matrix}{tI\hfil\cr 0}\right)$ "
            r"\par\end{document}\end{matrix}\end{matrix}",
            r"\left(\begin{matrix}I&A\\ B&tI\end{matrix}\right)\left(\begin{matrix}tI\\ 0\end{matrix}\right)",
        ),
        (  # 837594, shortened
            r"{k\left({\begin{matrix}{n\hfil\cr k}}\end{matrix}\right)\cdot{3^{n-k}}$\par\end{document}}",
            r"{k\left({\begin{matrix}n\\ k\end{matrix}}\right)\cdot{3^{n-k}}}",
        ),
        (r"\mathbf{1}_{u\hfil&% \displaystyle gt;0,0&\displaystyle lt;1}", r"\mathbf{1}_{u>0,0<1}"),  # 2985681
        (  # 864588
            r"\ \@@eqnarray\displaystyle 41&&\displaystyle\equiv 2\\ \displaystyle 7&&\displaystyle\equiv-6",
            r"\ \begin{array}{rcl}\displaystyle 41&&\displaystyle\equiv 2\\ "
            r"\displaystyle 7&&\displaystyle\equiv-6\end{array}",
        ),
        (  # 617710, shortened
            r"\@@eqnarray$\displaystyle a$&$\displaystyle amp;=$&$\displaystyle amp;b$\\ $$&$\displaystyle amp;=$&$c$",
            r"\begin{array}{rcl}\displaystyle a&\displaystyle =&\displaystyle b\\ &\displaystyle =&$c\end{array}",
        ),
        (r"f(n)=n-1\\ f^{-1}(n)=n+1", r"\begin{gathered}f(n)=n-1\\ f^{-1}(n)=n+1\end{gathered}"),  # 182369
        (r"a&=b\\[2pt] &=[c]\\", r"\begin{aligned}a&=b\\ &=[c]\end{aligned}"),
        (r"a_{\\ b} \left( c \\ d \right)", r"a_{\\ b} \left( c \\ d \right)"),  # inside of groups
        (r"\begin{pmatrix}{a}&b\\ c&d\end{pmatrix}", r"\begin{pmatrix}{a}&b\\ c&d\end{pmatrix}"),
        (r"\displaystyle\\ {x\\ }", r"\displaystyle\\ {x\\ }"),
        (r"\begin{matrix}{a\hfil&b", r"\begin{matrix}a&b\end{matrix}"),
    ],
)
def test_formulas_are_shown_as_their_authors_meant_them(tex: str, shown: str) -> None:
    assert legible(tex) == shown


def test_a_repaired_matrix_has_its_rows_and_columns() -> None:
    formula = mathml(legible(r"\begin{pmatrix}{1\hfil&amp;a&amp;b\\ 0&amp;1&amp;c\\ 0&amp;0&\end{pmatrix}}"), False)
    assert (formula.count("<mtr"), formula.count("<mtd")) == (3, 9)


@pytest.mark.parametrize(
    ("tex", "takes_lines"),
    [
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}", True),
        (r"\begin{array}[]{rcl} a &= b \\ &= c \end{array}", True),
        (r"a \\ b", True),
        (r"\begin{equation*} a \end{equation*}", True),
        (r"\eqalign{a&=b\cr}", True),
        (r"\begin{aligned} a &= b \end{aligned}", False),
        (r"\begin{cases} a \\ b \end{cases}", False),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", False),
        ("a", False),
    ],
)
def test_several_lines_between_single_dollars_take_lines_of_their_own(tex: str, takes_lines: bool) -> None:
    assert is_of_lines(legible(tex)) == takes_lines
    shown = display(canonical(f'<p>So <span class="math-container" id="7">${tex}$</span>.</p>'))
    assert ("data-display" in shown, 'class="closed"' in shown) == (takes_lines, not takes_lines)


def test_no_real_post_shows_fragments_of_the_conversion() -> None:
    file = data_file("posts/Posts.xml")
    with file.open("rb") as source:
        texts = [canonical(unescape(post.body)) for post in iter_posts(source, file.name) if "hfil" in post.body]
    shown = [tex for text in texts for tex in re.findall('data-tex="([^"]*)"', display(text)) if "hfil" in tex]
    assert (len(texts), len(shown)) == (13, 1)  # a list of formulas that the conversion took for one
