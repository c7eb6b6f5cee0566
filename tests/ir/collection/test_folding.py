"""Long context of a formula to judge is folded."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.ir.collection.folding import LONG, blocks_of, folded, text_of
from assess.ir.collection.html import canonical, display

WORDS = "Beginning of the post (about {} words)", "Rest"
MARK = ' class="math-container highlight"'
FORMULA = '<span class="math-container" data-formula-id="7">x</span>'
PARAGRAPH = f"<p>{'word ' * 60}</p>"  # 300 characters
LONG_RUN = PARAGRAPH * 5
NEIGHBOUR = "<blockquote><p>near</p></blockquote>"
MARKED = f"<ul><li><p>{FORMULA}</p></li></ul>"
DETAILS = re.compile(r'<details class="fold"><summary>[^<]*</summary>(.*?)</details>', re.DOTALL)


def shown(html: str, *, with_mathml: bool = True) -> str:
    return folded(display(html, highlight={"7"}, with_mathml=with_mathml), MARK, *WORDS)


def folds(html: str, *, with_mathml: bool = True) -> list[str]:
    return DETAILS.findall(shown(html, with_mathml=with_mathml))


@pytest.mark.parametrize("with_mathml", [True, False])
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (LONG_RUN + NEIGHBOUR + MARKED + NEIGHBOUR + LONG_RUN, [LONG_RUN, LONG_RUN]),
        (LONG_RUN + NEIGHBOUR + MARKED + NEIGHBOUR, [LONG_RUN]),
        (MARKED + NEIGHBOUR + LONG_RUN, [LONG_RUN]),
        (PARAGRAPH + MARKED + PARAGRAPH * 4, []),  # a neighbour, and three paragraphs
        (LONG_RUN + NEIGHBOUR, []),  # no mark
        (f"<p>{'word ' * 999}{FORMULA}</p>", []),  # one paragraph
        (
            f"words {'word ' * 400}{NEIGHBOUR}loose <em>text</em> {FORMULA}{NEIGHBOUR}<hr>{LONG_RUN}",
            [f"words {'word ' * 400}", f"<hr>{LONG_RUN}"],
        ),
    ],
)
def test_long_runs_are_folded_but_neither_the_formula_nor_its_neighbours(
    html: str, expected: list[str], with_mathml: bool
) -> None:
    assert folds(html, with_mathml=with_mathml) == expected


def test_the_summary_says_how_much_it_hides_and_formulas_count_by_their_tex() -> None:
    html = shown(LONG_RUN + NEIGHBOUR + MARKED)
    assert "<summary>Beginning of the post (about 300 words)</summary>" in html
    formulas = f"<p>{FORMULA.replace('7', '8').replace('>x<', '>' + 'x+' * 50 + '1<')}</p>" * 20
    tex, math = (display(formulas, with_mathml=is_mathml) for is_mathml in (False, True))
    assert text_of(tex) == text_of(math)
    assert (
        len(folds(formulas + NEIGHBOUR + MARKED)) == len(folds(formulas + NEIGHBOUR + MARKED, with_mathml=False)) == 1
    )


BLOCK = st.sampled_from(
    [PARAGRAPH, NEIGHBOUR, MARKED, "text ", "<br>", "<hr>", "<pre><code>a &lt; b\n</code></pre>", "<p></p>", "\n",
     '<p><a href="https://a.org/?a=1&amp;b=2" title="a &gt; b">b</a></p>', "<table><tr><td>c</td></tr></table>",
     '<span class="math-container" data-formula-id="8">\\frac{a}{b}</span>']
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(BLOCK, max_size=30).map("".join))
def test_nothing_is_lost_moved_or_broken(html: str) -> None:
    before = display(canonical(html), highlight={"7"})
    after = folded(before, MARK, *WORDS)
    opened = DETAILS.sub(r"\1", after)
    assert opened.replace("\n", "") == before.replace("\n", "")
    assert "".join(blocks_of(before)).replace("\n", "") == before.replace("\n", "")
    for fold in DETAILS.findall(after):
        assert MARK not in fold
        assert len(text_of(fold)) > LONG
        assert canonical(fold) == canonical(canonical(fold))
        for name in ("p", "pre", "blockquote", "table", "span", "a"):
            assert len(re.findall(rf"<{name}[ >]", fold)) == fold.count(f"</{name}>")
