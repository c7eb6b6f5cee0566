r"""TeX as readers see it, also of environments in the text of a post. The broken formulas are those of the collection:
their posts have these ids."""

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


ALIGN = r"\begin{align*} a &amp;&lt; 1 \\ b \end{align*}"


def test_an_environment_is_shown_as_a_displayed_formula_unless_it_is_in_code() -> None:
    shown = display(canonical(f"<p>So {ALIGN}, then {ALIGN}.</p>"), with_mathml=False)
    formula = f'<span class="math-container" data-tex="{ALIGN}" data-display="block">{ALIGN}</span>'
    assert shown == f"<p>So {formula}, then {formula}.</p>"
    assert display(canonical(f"<p>{ALIGN}</p>")).count("<mtr") == 2
    assert "data-tex" not in display(f"<p><code>{ALIGN}", with_mathml=False)


INNER = '<span class="math-container" data-formula-id="7">x</span>'


@pytest.mark.parametrize(
    "html",
    [
        f"<pre><code>{ALIGN}</code></pre>",
        f"<p><code>{ALIGN}</code></p>",
        r"<p>\begin{align} a \end{gather}</p>",
        r"<p>\begin{document} a \end{document}</p>",
    ],
)
def test_code_and_incomplete_environments_are_unchanged(html: str) -> None:
    assert canonical(html) == html
    assert display(html, with_mathml=False).replace(' data-tex="x"', "") == html


@pytest.mark.parametrize(
    ("html", "tex"),
    [
        (rf"\begin{{align}} a &amp;= {INNER} \end{{align}}", r"\begin{align} a &amp;= x \end{align}"),
        (rf"\begin{{align}} a \mbox{{ if {INNER}}} \end{{align}}", r"\begin{align} a \mbox{ if $x$} \end{align}"),
        (rf"\begin{{align}} a \tag{{{INNER}}} \end{{align}}", r"\begin{align} a \tag{$x$} \end{align}"),
    ],
)
def test_a_formula_in_an_environment_is_a_part_of_it(html: str, tex: str) -> None:
    shown = f'<span class="math-container" data-tex="{tex}" data-display="block">{tex}</span>'
    assert display(html, with_mathml=False) == shown


def test_a_marked_formula_stays_itself_and_a_reference_is_the_tag_of_its_line() -> None:
    html = rf"\begin{{align}} a &amp;= {INNER} \end{{align}}"
    assert 'class="math-container highlight" data-tex="x" data-formula-id="7"' in display(html, highlight={"7"})
    shown = display(rf"<p>{INNER} {TAGGED} By \eqref{{m}}, (\ref{{l}}) and \ref{{far}}.</p>", with_mathml=False)
    assert unescape(shown).endswith("By (2'), (l) and (far).</p>")
    assert display(r"\begin{align} a \tag{1} \label{l} \end{align} \eqref{l}", with_mathml=False).endswith(" (1)")
    for html in (r"<code>\eqref{m}</code>", r'<a title="\eqref{m}">b</a>', r"\eqref{m", r"\preref{}m"):
        assert display(html) == canonical(html)


TAGGED = r'<span class="math-container" data-formula-id="8">a \label{l} \\ b \tag{2&#39;} \label{m}</span>'


@pytest.mark.parametrize(
    "html",
    [
        r'<p><a href="https://example.org/?\begin{align}x\end{align}">here</a></p>',
        r'<p>\begin{align} "><script>alert(1)</script> \end{align}</p>',
        r'<p>\begin{align} x" onclick="alert(1) \end{align}</p>',
    ],
)
def test_an_environment_cannot_inject_markup(html: str) -> None:
    shown = display(canonical(html))
    assert "<script" not in shown
    assert not re.search(r"<[^>]* onclick=", re.sub(r'"[^"]*"', '""', shown))
    assert canonical(shown).count("<a ") == html.count("<a ")


def test_all_unmarked_environments_of_real_posts_are_shown_as_formulas() -> None:
    file = data_file("posts/Posts.xml")
    with file.open("rb") as source:
        bodies = [canonical(post.body) for post in iter_posts(source, file.name) if r"\begin{" in post.body]
    text = re.compile(r'<pre>.*?</pre>|<code>.*?</code>|<span class="math-container".*?</span>', re.DOTALL)
    bare = [body for body in bodies if r"\begin{" in text.sub("", body)]
    left = [body for body in bare if r"\begin{" in text.sub("", display(body))]
    assert (len(bare), len(left)) == (134, 0)
