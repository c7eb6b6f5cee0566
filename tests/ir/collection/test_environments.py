"""LaTeX environments in the text of a post are shown as formulas, as on the site."""

import re
from html import unescape

import pytest

from assess.ir.collection.html import canonical, display
from assess.ir.formats.posts import iter_posts
from tests.real import data_file

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
