"""LaTeX environments that the collection has as text: shown as formulas, as on the site."""

import re

import pytest

from assess.ir.collection.html import canonical, display
from assess.ir.formats.posts import iter_posts
from tests.real import data_file

ALIGN = r"\begin{align*} a &amp;&lt; 1 \\ b \end{align*}"


def test_an_environment_is_shown_as_a_formula_on_its_own():
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
        rf"<p>\begin{{align}} a &amp;= {INNER} \end{{align}}</p>",  # who would set the inner one?
        r"<p>\begin{align} a \end{gather}</p>",
        r"<p>\begin{document} a \end{document}</p>",
    ],
)
def test_what_is_meant_as_text_or_has_parts_stays_as_it_is(html):
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
def test_nothing_gets_out_of_an_environment(html):
    shown = display(canonical(html))
    assert "<script" not in shown
    assert not re.search(r"<[^>]* onclick=", re.sub(r'"[^"]*"', '""', shown))
    assert canonical(shown).count("<a ") == html.count("<a ")


def test_code_that_never_ends_is_code_to_the_end():
    assert "data-tex" not in display(f"<p><code>{ALIGN}", with_mathml=False)


def test_real_posts_have_environments_that_the_collection_does_not_mark():
    file = data_file("posts/Posts.xml")
    with file.open("rb") as source:
        bodies = [canonical(post.body) for post in iter_posts(source, file.name)]
    text = re.compile(r'<pre>.*?</pre>|<code>.*?</code>|<span class="math-container".*?</span>', re.DOTALL)
    bare = [body for body in bodies if r"\begin{" in text.sub("", body)]
    left = [body for body in bare if r"\begin{" in text.sub("", display(body))]
    assert (len(bodies), len(bare), len(left)) == (3745, 134, 3)  # three with parts that it marks
