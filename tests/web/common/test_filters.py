"""Formulas in questions, rulings and comments; numbers and durations. None takes long, whatever is in it."""

import re
from time import process_time

import pytest
from django.contrib.auth.models import User
from django.template import Context, Template, engines
from django.urls import reverse

from assess.ir.collection.html import canonical
from assess.models import Campaign
from assess.web.common.filters import about_duration, formulas, opening
from assess.web.common.html import excerpt, own_formulas, plain_title
from tests import cast
from tests.hostile import SHAPES
from tests.lab import client_of


def read(html: str) -> str:
    """The visible text, with inline formulas in ⟨⟩ and displayed ones in ⟪⟫."""
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
        # money, and what is not a formula
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
        (r"$\GCD(m,n)$", r"$\GCD(m,n)$"),  # unknown command
        (r"$\frac{x$ or $x}$", r"$\frac{x$ or $x}$"),  # unbalanced braces
        (r"$}x{$ or $\{x$", r"$}x{$ or ⟨{x⟩"),
        # HTML is escaped
        ("<b>1</b> & 2", "&lt;b&gt;1&lt;/b&gt; &amp; 2"),
        ("$<b>$", "⟨&lt;b&gt;⟩"),
        (r"$\text{<script>alert(1)</script>}$", "⟨&lt;script&gt;alert(1)&lt;/script&gt;⟩"),
        ("a\ufffcb $x$", "ab ⟨x⟩"),  # the placeholder of a formula
    ],
)
def test_text_between_dollars_is_a_formula_as_in_tex(text: str, expected: str) -> None:
    assert read(formulas(text)) == expected


def test_templates_keep_lines_and_escape_once() -> None:
    page = engines["django"].from_string("{{ text|formulas|linebreaks }}")
    shown = page.render({"text": "If $a < b$\nor & so\n\nthen"})
    assert read(shown) == "If ⟨a&lt;b⟩or &amp; so\n\nthen"
    assert formulas("$x$.").endswith("</math>.</span>"), "punctuation stays with inline formulas"
    assert formulas("$$x$$.").endswith("</math>.")
    assert (shown.count("<p>"), shown.count("<br>")) == (2, 1)


@pytest.mark.parametrize(
    ("length", "expected"),
    [(30, "See ⟨a+b⟩ or, ⟨c⟩"), (11, "See ⟨a+b⟩ or,…"), (10, "See ⟨a+b⟩…"), (7, "See ⟨a+b⟩…"), (6, "See…")],
)
def test_an_opening_is_one_line_and_cuts_no_formula(length: int, expected: str) -> None:
    assert read(opening("See $a + b$\nor, $$c$$", length)) == expected


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (5, "about 1 min"),
        (200, "about 3 min"),
        (12 * 60, "about 10 min"),
        (58 * 60, "about 1 h"),
        (128 * 60, "about 2 h 10 min"),
    ],
)
def test_estimates_are_rounded_coarsely(seconds: float | None, words: str) -> None:
    assert about_duration(seconds) == words


@pytest.mark.parametrize(
    ("value", "text"), [(-0.125, "−0.1250"), (0.125, "0.1250"), (-0.00001, "0.0000"), (None, ""), ("-2", "−2.0000")]
)
def test_a_negative_number_has_a_minus_sign(value: object, text: str) -> None:
    assert Template("{{ value|floatformat:4 }}").render(Context({"value": value})) == text


@pytest.mark.parametrize("shape", SHAPES)
def test_no_text_takes_long(shape: str) -> None:
    text = SHAPES[shape](80_000)
    stored = canonical(text)
    start = process_time()
    excerpt(stored)
    plain_title(stored)
    own_formulas(text)
    assert process_time() - start < 5  # quadratic code would take minutes


@pytest.mark.django_db
def test_html_in_the_name_of_a_campaign_is_text_where_it_is_cloned() -> None:
    campaign = cast.make_campaign()
    olga = cast.make_cast(campaign).olga
    User.objects.update(is_staff=True)
    Campaign.objects.update(name="<b>bold</b>")
    page = client_of(olga).get(reverse("campaign_edit", args=[campaign.slug])).content.decode()
    assert "&lt;b&gt;bold&lt;/b&gt; belongs to" in page
    assert "<b>bold" not in page
    rules = client_of(olga).get(reverse("password_change")).content.decode()
    assert "<ul>" in rules, "Django's own list is HTML"
