"""What an author writes for formulas concerns the own post alone: commands, numbers of equations, colours."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from assess.models import Assignment, Post
from tests import cast
from tests.browser.desk.desk import LIGHT, Reader, current, display, turn_to, write
from tests.pages import SignIn

LETTERS = (
    "all => all.map(root => [...root.querySelectorAll('use, text')].map(part => part.dataset.c ?? part.textContent))"
)
ALPHA, BETA, ONE = "1D6FC", "1D6FD", "31"
UNKNOWN, UNKNOWN_ABS = ["5C", "66", "6F", "6F"], ["5C", "61", "62", "73"]  # \foo, \abs
DECLARED = r"\DeclareMathOperator{\foo}{1} \DeclarePairedDelimiter{\abs}{(}{)}"


def texts(*formulas: Any, make: Callable[..., Any] = cast.math) -> str:
    return f"<p>{' and '.join(make('', tex) for tex in formulas)}</p>"


def letters(part: Locator) -> list[Any]:
    """The letters of each formula, by their codes."""
    expect(part.locator(".math-container[data-tex]:not(.typeset, .math-error)")).to_have_count(0)
    return part.locator(".math-container[data-tex]").evaluate_all(LETTERS)


@pytest.mark.parametrize("first", ["11", "21"])
def test_definitions_hold_from_there_on_in_that_post_alone(reader: Reader, answers: Assignment, first: str) -> None:
    write(answers, topic=texts(r"\newcommand{\foo}{\beta}", r"\foo"))
    write(answers, answer=texts(r"\foo", r"\newcommand{\foo}{\alpha} \def\binom#1#2{1}", r"\foo", r"\binom{n}{k}"))
    write(answers, answer=texts(r"\foo", r"\binom11", DECLARED, r"\foo\abs{\foo}"), unit="12")
    own = r"\newenvironment{bar}{\alpha}{\beta} \let\foo=\beta \foo"
    write(answers, answer=texts(r"\begin{bar}1\end{bar}", own, r"\foo\abs", r"\begin{bar}1\end{bar}"), unit="21")
    page = reader(first)
    assert letters(page.locator(".topic div.post")) == [[], [BETA]]
    expected = {
        "11": [UNKNOWN, [], [ALPHA], [ONE]],
        "12": [UNKNOWN, ["28", ONE, ONE, "29"], [], [ONE, "28", ONE, "29"]],
        "21": [[], [BETA], [BETA, *UNKNOWN_ABS], [ALPHA, ONE, BETA]],
    }
    for unit in ("12", "11", "21"):
        turn_to(page, answers, unit)
        assert letters(current(page).locator("div.post")) == expected[unit], unit


def test_a_thread_shares_what_is_defined_in_it(page: Page, sign_in: SignIn, answers: Assignment) -> None:
    Post.objects.filter(post_id="10").update(body=texts(r"\newcommand{\foo}{\alpha}"))
    write(answers, answer=texts(r"\foo", r"\renewcommand{\foo}{\beta}"))
    write(answers, answer=texts(r"\foo"), unit="12")
    sign_in(page, answers.assessor)
    page.goto(f"/c/{answers.topic.campaign.slug}/threads/10/")
    page.wait_for_selector("html[data-typeset=done]")
    by_post = {unit: letters(page.locator(f"#post-{unit} div.post")) for unit in ("10", "11", "12")}
    later = sorted(("11", "12"), key=lambda unit: page.locator(f"#post-{unit}").bounding_box()["y"])
    assert later == ["11", "12"]
    assert by_post == {"10": [[]], "11": [[ALPHA], []], "12": [[BETA]]}


def test_an_equation_is_referred_to_in_its_own_post_alone(reader: Reader, answers: Assignment) -> None:
    write(answers, answer=texts(r"\begin{equation} 1 \tag{1} \label{one} \end{equation}", r"\eqref{one}", make=display))
    write(answers, answer=texts(r"\eqref{one}", make=display), unit="12")
    page = reader()
    assert letters(current(page).locator("div.post"))[1] == ["28", ONE, "29"]
    turn_to(page, answers, "12")
    assert letters(current(page).locator("div.post")) == [["28", "3F", "3F", "3F", "29"]]


CONTRASTS = (
    f"part => {{ const light = {LIGHT};"
    + """
    const ground = glyph => {
        const box = glyph.closest("[data-mml-node=mpadded]")?.querySelector("[data-bgcolor]");
        if (box) return getComputedStyle(box).fill;
        for (let at = glyph; ; at = at.parentElement) {
            const { backgroundColor } = getComputedStyle(at);
            if (backgroundColor !== "rgba(0, 0, 0, 0)") return backgroundColor;
        }
    };
    return [...part.querySelectorAll("use")].map(glyph => {
        const [a, b] = [light(getComputedStyle(glyph).fill), light(ground(glyph))].sort((a, b) => a - b);
        return (b + .05) / (a + .05);
    });
}"""
)


def test_colours_of_an_author_can_be_read(reader: Reader, answers: Assignment) -> None:
    colours = ("red", "blue", "green", "yellow", "cyan", "gray", "#f00", "#c0f", "black", "white")
    bright = " ".join(rf"\color{{{colour}}}{{x}}" for colour in colours)
    write(answers, answer=texts(bright, r"\foo", r"\colorbox{yellow}{x}", r"\bbox[blue]{x}"))
    page = reader()
    assert len(letters(current(page).locator("div.post"))) == 4
    post = current(page).locator("div.post")
    for ground in ("of the page", "marked"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            contrasts = post.evaluate(CONTRASTS)
            assert len(contrasts) == 16
            assert min(contrasts) >= 4.5, (ground, scheme, contrasts)
        post.locator(".math-container").evaluate_all("all => all.forEach(box => box.classList.add('highlight'))")
