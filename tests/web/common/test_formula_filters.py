"""Formulas in questions, rulings and comments."""

import re

import pytest
from django.template import engines

from assess.web.common.formula_filters import formulas, opening


def read(html: str) -> str:
    """What is read, a formula in ⟨⟩, one in a line of its own in ⟪⟫."""
    html = re.sub(r'<math class="native" display="block">(.*?)</math>', r"⟪\1⟫", html)
    return re.sub(r"<[^>]*>", "", re.sub(r'<math class="native" display="inline">(.*?)</math>', r"⟨\1⟩", html))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is $x^2$ low?", "Is ⟨x2⟩ low?"),
        ("$x$ and $y$", "⟨x⟩ and ⟨y⟩"),
        ("($x$), $y$.", "(⟨x⟩), ⟨y⟩."),
        ("So $$x=1$$ holds", "So ⟪x=1⟫ holds"),
        ("$$ x $$", "⟪x⟫"),
        ("$a\n+b$", "⟨a+b⟩"),
        (r"$\$5+x$", "⟨$5+x⟩"),
        # money and what is no formula
        ("$5 and $6", "$5 and $6"),
        ("$5-$6", "$5-$6"),
        ("It is $5, not $x$", "It is $5, not ⟨x⟩"),
        ("US$ and A$", "US$ and A$"),
        (r"\$5 or x$", r"\$5 or x$"),
        ("$x", "$x"),
        ("$ x $", "$ x $"),
        ("$$", "$$"),
        ("$$$$", "$$$$"),
        ("$a\n\nb$", "$a\n\nb$"),
        (r"$\GCD(m,n)$", r"$\GCD(m,n)$"),  # not understood
        (r"$\frac{x$ or $x}$", r"$\frac{x$ or $x}$"),  # a brace without its other
        (r"$}x{$ or $\{x$", r"$}x{$ or ⟨{x⟩"),
        # never HTML
        ("<b>1</b> & 2", "&lt;b&gt;1&lt;/b&gt; &amp; 2"),
        ("$<b>$", "⟨&lt;b&gt;⟩"),
        (r"$\text{<script>alert(1)</script>}$", "⟨&lt;script&gt;alert(1)&lt;/script&gt;⟩"),
        ("a\ufffcb $x$", "ab ⟨x⟩"),  # the sign that holds the place of a formula
    ],
)
def test_what_stands_between_dollars_as_in_tex_is_a_formula(text, expected):
    assert read(formulas(text)) == expected


def test_a_template_keeps_lines_and_escapes_once():
    page = engines["django"].from_string("{% load formulas %}{{ text|formulas|linebreaks }}")
    shown = page.render({"text": "If $a < b$\nor & so\n\nthen"})
    assert read(shown) == "If ⟨a&lt;b⟩or &amp; so\n\nthen"
    assert (shown.count("<p>"), shown.count("<br>")) == (2, 1)


@pytest.mark.parametrize(
    ("length", "expected"),
    [(30, "See ⟨a+b⟩ or, ⟨c⟩"), (11, "See ⟨a+b⟩ or,…"), (10, "See ⟨a+b⟩…"), (7, "See ⟨a+b⟩…"), (6, "See…")],
)
def test_the_first_words_stay_on_one_line_and_cut_no_formula(length, expected):
    assert read(opening("See $a + b$\nor, $$c$$", length)) == expected


def test_punctuation_stays_with_a_formula_in_the_line_only():
    assert formulas("$x$.").endswith("</math>.</span>")
    assert formulas("$$x$$.").endswith("</math>.")
