"""LaTeX environments in the text of a post are shown as formulas, as on the site."""

import re

import pytest

from assess.ir.collection.html import canonical, display
from assess.ir.formats.posts import iter_posts
from tests.real import data_file

ALIGN = r"\begin{align*} a &amp;&lt; 1 \\ b \end{align*}"


def test_an_environment_is_shown_as_a_displayed_formula() -> None:
    shown = display(canonical(f"<p>So {ALIGN}, then {ALIGN}.</p>"), with_mathml=False)
    formula = f'<span class="math-container" data-tex="{ALIGN}" data-display="block">{ALIGN}</span>'
    assert shown == f"<p>So {formula}, then {formula}.</p>"
    assert display(canonical(f"<p>{ALIGN}</p>")).count("<mtr") == 2


INNER = '<span class="math-container" data-formula-id="7">x</span>'


@pytest.mark.parametrize(
    "html",
    [
        f"<pre><code>{ALIGN}</code></pre>",
        f"<p><code>{ALIGN}</code></p>",
        rf"<p>\begin{{align}} a &amp;= {INNER} \end{{align}}</p>",  # has a formula inside
        r"<p>\begin{align} a \end{gather}</p>",
        r"<p>\begin{document} a \end{document}</p>",
    ],
)
def test_code_and_incomplete_environments_are_unchanged(html: str) -> None:
    assert canonical(html) == html
    assert display(html, with_mathml=False).replace(' data-tex="x"', "") == html


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


def test_code_that_is_never_closed_stays_code() -> None:
    assert "data-tex" not in display(f"<p><code>{ALIGN}", with_mathml=False)


def test_nearly_all_unmarked_environments_of_real_posts_are_shown_as_formulas() -> None:
    file = data_file("posts/Posts.xml")
    with file.open("rb") as source:
        bodies = [canonical(post.body) for post in iter_posts(source, file.name)]
    text = re.compile(r'<pre>.*?</pre>|<code>.*?</code>|<span class="math-container".*?</span>', re.DOTALL)
    bare = [body for body in bodies if r"\begin{" in text.sub("", body)]
    left = [body for body in bare if r"\begin{" in text.sub("", display(body))]
    assert (len(bodies), len(bare), len(left)) == (3745, 134, 3)  # these three contain marked formulas
