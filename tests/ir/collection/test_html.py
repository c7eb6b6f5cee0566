import re
from html import escape, unescape
from typing import Any

import nh3
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assess.ir.collection.html import REL, canonical, canonical_inline, display, formulas, plain_text, title_above
from assess.ir.collection.mathml import mathml, readable
from assess.ir.formats.posts import iter_posts
from tests.ir.formats.readers import iter_formulas
from tests.real import data_file

FORMULA = re.compile(r'<span class="math-container" data-formula-id="([^"]+)"[^>]*>([^<]*)</span>')


def span(tex: str, formula_id: str = "7", display: str = "") -> str:
    return f'<span class="math-container" data-formula-id="{formula_id}"{display}>{tex}</span>'


def delivered(tex: str) -> str:
    return f'<span class="math-container" id="7" visual_id="99">{tex}</span>'


BLOCK = ' data-display="block"'


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        ("x", span("x")),
        ("$x$", span("x")),
        (r"\(x\)", span("x")),
        (" $x$ ", span("x")),
        ("$$x$$", span("x", display=BLOCK)),
        (r"\[x\]", span("x", display=BLOCK)),
        (r"$\$$", span(r"\$")),  # a dollar that is part of the formula
        ("$$$x$$$", span("$x$", display=BLOCK)),  # one pair of delimiters only
        (r"$\text{if $n$ is even}$", span(r"\text{if $n$ is even}")),
        ("$", span("$")),
        ("$a &lt; b$", span("a &lt; b")),
        ("$a < b$", span("a &lt; b")),
        ("$a<b>c$", span("a&lt;b&gt;c")),
        ("$a & b$", span("a &amp; b")),
        ("$</p><script>$", span("&lt;/p&gt;&lt;script&gt;")),
    ],
)
def test_a_formula_is_stored_as_tex_without_its_delimiters(tex: str, expected: str) -> None:
    assert canonical(delivered(tex)) == expected
    assert canonical_inline(delivered(tex)) == expected


@pytest.mark.parametrize(
    ("math", "expected"),
    [
        (
            '<math alttext="a"><semantics><mi>n</mi><annotation encoding="application/x-tex">n &lt; 1</annotation>'
            "</semantics></math>",
            ">n &lt; 1<",
        ),
        ('<math alttext="n^2" display="inline"><mi>n</mi></math>', ">n^2<"),
        ('<math display="block" alttext="n^2"><mi>n</mi></math>', ' data-display="block">n^2<'),
        ("<math><mi>n</mi></math>", "><"),
    ],
)
def test_a_formula_in_mathml_is_stored_by_its_tex(math: str, expected: str) -> None:
    stored = canonical(f'<p><span class="math-container" id="5">{math}</span></p>')
    assert stored == f'<p><span class="math-container" data-formula-id="5"{expected}/span></p>'
    assert canonical(stored) == stored


def test_a_formula_without_id_is_a_formula_but_not_one_inside_an_attribute() -> None:
    assert canonical('<span class="math-container">$x$</span>') == span("x", formula_id="")
    assert formulas(span("x", formula_id="") + span("y", "q_4")) == [("", "x"), ("q_4", "y")]
    html = "<a title=\"<span class='math-container'>$x$</span>\">a</a>"
    assert "title=\"&lt;span class='math-container'&gt;$x$&lt;/span&gt;\"" in canonical(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<script>alert(1)</script>a", "a"),
        ("<p onclick=alert(1) style='color:red' id=main class=grade>a</p>", "<p>a</p>"),
        ('<a href="javascript:alert(1)">a</a>', '<a rel="nofollow noopener noreferrer">a</a>'),
        ('<a href=" java\nscript:alert(1)">a</a>', '<a rel="nofollow noopener noreferrer">a</a>'),
        ('<a href="/admin/">a</a>', '<a rel="nofollow noopener noreferrer">a</a>'),
        ("<svg><style><img src=x onerror=alert(1)></style></svg>a", "a"),
        ("<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>", ""),
        ("<iframe src=//x.org></iframe><form action=/x><input name=q>a</form>", "a"),
        ("<p>a <!-- b --> c</p>", "<p>a  c</p>"),
        ('<ol start="3" reversed><li>a</li></ol>', '<ol start="3"><li>a</li></ol>'),
        ('<ol start="1e9"><li>a</li></ol>', "<ol><li>a</li></ol>"),
        ('<blockquote class="spoiler">a</blockquote>', "<blockquote>a</blockquote>"),
        ("<center>a <font>b</font></center>", "a b"),
        ("<span class='math-container grade' data-formula-id='\"><script>'>x</span>",
         '<span class="math-container" data-formula-id="">x</span>'),
        ("1 <= 2 <> 3 & 4", "1 &lt;= 2 &lt;&gt; 3 &amp; 4"),
        ('<a href="http://a.org/?y&z" title="t">a</a>', f'<a href="http://a.org/?y&amp;z" title="t" rel="{REL}">a</a>'),
        ('<a href="//a.org/x">a</a>', f'<a href="https://a.org/x" rel="{REL}">a</a>'),
        ("<p>It costs $5 or $$6.</p>", "<p>It costs $5 or $$6.</p>"),
        ('<p>a <span class="math-container">$x < y</p>', f"<p>a {span('$x &lt; y&lt;/p&gt;', '')}</p>"),
        (span("a\0b\rc"), span("ab\nc")),
        # broken HTML is closed in order
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
        ("<p>a<ul><li>b<li>c</ul>", "<p>a</p><ul><li>b</li><li>c</li></ul>"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("<b><i>a</b>b</i>", "<b><i>a</i></b>b"),
        ("a</b></p>b</br>", "a<p></p>b<br>"),
        ("<table><td>a<tr><th>b</table>c", "<table><tbody><tr><td>a</td></tr><tr><th>b</th></tr></tbody></table>c"),
        ("<table><caption>a<tr>b", "<table><caption>a</caption><tbody><tr><td>b</td></tr></tbody></table>"),
        ("<b><table><td></b>a</table>b", "<b><table><tbody><tr><td>a</td></tr></tbody></table>b</b>"),
        ("<td>a", "a"),
        ("<a href=/x></a><pre>\n\n a</pre>", "<pre> a</pre>"),
        ("<b>a <c", "<b>a </b>"),
        ("<sub>" * 9999 + "a", "<sub>" * 100 + "a" + "</sub>" * 100),
    ],
)  # fmt: skip
def test_only_what_a_post_needs_is_kept_and_properly_nested(html: str, expected: str) -> None:
    assert canonical(html) == expected


def test_a_title_keeps_inline_elements_and_plain_text_words_and_tex() -> None:
    assert canonical_inline('<p>A <em>b</em> <a href="http://a.org">c</a></p>') == "A <em>b</em> c"
    html = canonical(f"<p>If {delivered('$a &lt; b$')},</p><ul><li>then &amp;c.</li></ul>x<sup>2</sup>")
    assert plain_text(html) == "If a < b, then &c. x2"


IMAGE = '<img src="https://i.org/d/ab1.png?s=1" alt="A &quot;plot&quot; of <x>" onerror="alert(1)">'


def test_a_picture_becomes_a_link_and_is_shown_from_our_store() -> None:
    assert canonical(IMAGE) == (
        '<a class="post-image" href="https://i.org/d/ab1.png?s=1" data-image="ab1.png"'
        ' rel="nofollow noopener noreferrer">A "plot" of &lt;x&gt;</a>'
    )
    assert canonical(f'<a href="https://i.org/big.png">{IMAGE}</a>') == canonical(IMAGE)
    html = canonical(IMAGE)
    shown = display(html, image_url=lambda name: {"ab1.png": "/media/1?a&b"}.get(name))
    assert shown == (
        '<img class="post-image" src="/media/1?a&amp;b" alt="A &quot;plot&quot; of &lt;x&gt;" loading="lazy">'
    )
    assert display(html, image_url=lambda name: None) == display(html)
    assert '>Missing picture: A "plot" of &lt;x&gt;<' in display(html)
    undescribed, filled_in = '<img src="https://i.org/ab1.png">', '<img src="https://i.org/ab1.png" alt="{}">'
    for alt in ("enter image description here", " Enter image description here "):
        html, bare = canonical(filled_in.format(alt)), canonical(undescribed)
        assert display(html) == display(bare)
        assert display(html, image_url="/media/{}".format) == display(bare, image_url="/media/{}".format)


@pytest.mark.parametrize("file", ["../../x.png", "a/b.png", ".htaccess", ""])
def test_the_file_name_of_a_picture_is_not_a_path(file: str) -> None:
    html = canonical(f'<a class="post-image" href="http://a.org" data-image="{file}">a</a>')
    assert "data-image" not in html


@pytest.mark.parametrize(
    ("tex", "repaired"),
    [
        ("b&gt;0", "b>0"),  # escaped twice
        (r"\frac{x% \sqrt{3}}{2}", r"\frac{x\sqrt{3}}{2}"),  # a lost line end
        ("a % note\n+ b", "a % note\n+ b"),  # a comment of the author
        (r"50\% of x", r"50\% of x"),
        (r"a&\displaystyle amp;=b", r"a&\displaystyle =b"),
        ("a&b", "a&b"),
    ],
)
def test_damage_of_the_labs_conversion_is_repaired_for_reading(tex: str, repaired: str) -> None:
    assert readable(tex) == repaired


def test_a_formula_is_shown_as_mathml_with_its_tex_and_upright_greek_capitals() -> None:
    assert display(span("x&lt;1", display=BLOCK), highlight={"7"}) == (
        '<span class="math-container highlight" data-tex="x&lt;1" data-display="block" data-formula-id="7">'
        '<math display="block"><mrow><mi>x</mi><mo>&lt;</mo><mn>1</mn></mrow></math></span>'
    )
    assert 'class="math-container" data-tex="x" data-formula-id="7"' in display(span("x"), highlight={"8"})
    shown = mathml(r"\Gamma\gamma\mathit\Gamma", False)
    assert re.findall("<mi.*?</mi>", shown) == [
        '<mi mathvariant="normal">Γ</mi>',
        "<mi>γ</mi>",
        '<mi mathvariant="italic">Γ</mi>',
    ]


@pytest.mark.parametrize("tex", [r"\frac", "{" * 3000, r"\unknowncommand{x}", "x+" * 9000])
def test_a_formula_that_cannot_be_converted_is_shown_as_tex_and_an_empty_one_not(tex: str) -> None:
    assert mathml(tex, False) == f'<code class="tex">{tex}</code>'
    assert mathml(" ", False) == ""


def parts(*texts: Any) -> str:
    """A pattern for elements with these texts, in groups or not."""
    return "".join(rf"(<mrow>)*<\w+[^>]*>{re.escape(text)}</\w+>(</mrow>)*" for text in texts)


BINOMIAL = rf"<mrow>{parts('(')}<mfrac[^>]*>.*</mfrac>{parts(')')}</mrow>"
MATRIX = rf"<mrow>{parts('(')}<mtable>.*</mtable>{parts(')')}</mrow>"


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\binom{n}{k}^2", rf"<msup>{BINOMIAL}{parts('2')}</msup>"),
        (r"x^\binom{n}{k}", rf"<msup>{parts('x')}{BINOMIAL}</msup>"),
        (r"\begin{pmatrix}a\\b\end{pmatrix}_1^T", rf"<msubsup>{MATRIX}{parts('1', 'T')}</msubsup>"),
        (r"p\mod n^2", rf"<msup><mrow>.*<mi>mod</mi>.*<mi>n</mi></mrow>{parts('2')}</msup>"),
    ],
)
def test_a_script_belongs_to_all_of_its_base(tex: str, expected: str) -> None:
    assert re.search(expected, mathml(tex, False))


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (r"\begin{aligned}", r"\end{aligned}"),
        (r"\begin{eqnarray*}", r"\end{eqnarray*}"),
        (r"\begin{alignedat}{2}", r"\end{alignedat}"),
        (r"\begin{alignat*}{2}", r"\end{alignat*}"),
    ],
)
def test_aligned_lines_are_set_below_each_other(begin: str, end: str) -> None:
    shown = mathml(rf"{begin}a&=1\\b&=2{end}", True)
    assert shown.count("<mtr>") == 2
    assert shown.count("<mtd") == 4
    assert "&amp;" not in shown


TRICKS = [
    r"\href{javascript:alert(1)}{x}",
    r"\style{background:url(//x.org)}{x}",
    r"\class{grade}{x}",
    r'\color{red" onload="alert(1)}{x}',
    r"\text{<img src=x onerror=alert(1)>}",
    r"</span><script>alert(1)</script>",
    r"\unicode{x3c}script\unicode{x3e}",
    '" onmouseover="alert(1)',
    "&lt;script&gt;",
]
HARMLESS = re.compile(
    r"(?:[^<]|</?(?:span|code|m[a-z]+|p)(?: (?:class|data-tex|data-display|data-formula-id|display|stretchy|"
    r'mathvariant|mathcolor|fence|form|width)="[^"<>]*")* ?/?>)*'
)


@pytest.mark.parametrize("tex", TRICKS)
def test_tricks_in_tex_become_text(tex: str) -> None:
    shown = display(canonical(f"<p>{delivered(escape(tex))}</p>"))
    assert HARMLESS.fullmatch(shown)
    assert "javascript" not in re.sub(r'data-tex="[^"]*"', "", shown)


@pytest.mark.parametrize("trick", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", *TRICKS])
def test_tricks_in_bodies_and_titles_do_nothing(trick: str) -> None:
    for html in (trick, f"<p>{trick}</p>", f"<b title='{trick}'>a</b>", delivered(trick), f"<a href='{trick}'>a</a>"):
        for shown in (display(html), display(canonical_inline(html))):
            bare = re.sub(r'data-tex="[^"]*"', "", shown)
            assert not re.search(r"<script|<img|<[^>]* (?:on\w+|style|id)=|href=\"(?!https?:)", bare)


PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<pre>", "</pre>", "\n", "<code>", "<span class='math-container'>", "</span>", "$", "$$",
        r"\[", r"\]", "<", ">", "&", "&lt;", "&amp;lt;", "&nbsp;", '"', "'", "<!--", "-->", "<table>", "<td>", "<b>",
        "</b>", "<a href=http://a.org>", "</a>", "<img src='//a.org/b.png' alt='<b>'>", "<svg>", "<math>", "<style>",
        '<span class="math-container" data-formula-id="1">', "<ul>", "<li>", "<h1>", "<textarea>", "<plaintext>",
        "\x00", "\r", "\u2028", "x", " ", "\\$", "<a title='<span class=math-container>$x$</span>'>",
        "</table>", "<tr>", "</td>", "<tbody>", "<caption>", "</ul>", "<dl>", "<dd>", "<blockquote>", "</h1>",
        "</blockquote>", "<br>", "</br>", "<i>", "</i>", "<a class=x href=/y title=z>", "&#13;", "<div>", "<select>",
        "<!", "</", "=",
    ]
)  # fmt: skip
HTML = st.lists(PIECES | st.text(max_size=4), max_size=14).map("".join)


@given(HTML)
@settings(deadline=None, max_examples=400)
@example("<pre>\n\n\nx</pre>")
@example("<a><table><a><img src=x>")
@example("<table>" * 120)
@example("<a class=x href=/y title=z>a</a>")
def test_the_canonical_form_of_a_canonical_form_is_itself_and_a_sanitizer_finds_nothing_to_remove(html: str) -> None:
    once = canonical(html)
    assert canonical(once) == once
    assert canonical_inline(canonical_inline(html)) == canonical_inline(html)
    attributes = {"a": {"href", "title", "class", "data-image"}, "ol": {"start"}, "*": set[str]()}
    attributes["span"] = {"class", "data-formula-id", "data-display"}
    assert nh3.clean(once, attributes=attributes, link_rel=REL) == once


def read_posts(path: str) -> Any:
    file = data_file(path)
    with file.open("rb") as source:
        return list(iter_posts(source, file.name))


def test_real_posts_keep_every_formula_and_every_word() -> None:
    posts = read_posts("posts/Posts.xml")
    stored: dict[str, str] = {}
    for post in posts:
        title, body = canonical_inline(post.title), canonical(post.body)
        assert (canonical_inline(title), canonical(body)) == (title, body)
        assert words(body) == words(post.body)
        stored.update((formula_id, unescape(tex)) for formula_id, tex in FORMULA.findall(title + body))
    index = data_file("formula-index/formulas.v3.tsv")
    with index.open("rb") as source:
        latex = {row.formula_id: row.latex for row in iter_formulas(source, index.name) if row.formula_id in stored}
    other = [key for key, tex in latex.items() if tex not in (stored[key], f"${stored[key]}$")]
    assert (len(latex), other) == (39356, ["14989814"])  # a no-break space in the index, a space in the post


def words(html: str) -> list[str]:
    """The words outside formulas and links, taken out by a separate sanitizer call."""
    bare = re.sub(r"<span class=\"math-container\".*?</span>|<a class=\"post-image\".*?</a>|<img[^>]*>", "", html)
    return re.findall(r"\w+", unescape(nh3.clean(bare, tags=set())))


@pytest.mark.parametrize("sign", [",", ".", ")?", "”;"])
def test_an_inline_formula_stays_together_with_its_punctuation_only(sign: str) -> None:
    shown = display(f"<p>if {span('m')}{sign} then</p>")
    assert re.fullmatch(rf'<p>if <span class="closed"><span .*</math></span>{re.escape(sign)}</span> then</p>', shown)
    for other in (span("m") + " , n", span("m") + "th", span("m", display=BLOCK) + sign):
        assert "closed" not in display(f"<p>{other}</p>")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("<h1>Tea &amp; <em>milk</em></h1><p>Hot.</p>", ""),
        ("<p>Menu</p><h2>TEA &amp;\nmilk</h2>", ""),
        ("<h1>Tea</h1><h1>Tea &amp; milk</h1>", "Tea &amp; milk"),  # the first heading says something else
        ("<p>Tea &amp; milk</p>", "Tea &amp; milk"),
    ],
)
def test_a_title_is_not_shown_above_a_body_that_begins_with_it(body: str, shown: str) -> None:
    assert title_above("Tea &amp; milk", body) == shown
