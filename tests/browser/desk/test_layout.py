"""Where the judging desk puts panes, grades and formulas, on wide and narrow screens."""

from itertools import product

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment, Post
from tests import cast
from tests.browser.desk.desk import (
    UNSEEN,
    Judge,
    Reader,
    at,
    at_once,
    current,
    leave,
    open_place,
    prepared,
    press_key,
    ready,
    resize,
    saved,
    turn_to,
    write,
)
from tests.desk import decisions_of, place_of
from tests.pages import NewPage, SignIn


def test_panes_stand_beside_each_other_and_scroll_alone(page: Page, judge: Judge, formulas: Assignment) -> None:
    write(formulas, topic="<p>Long.</p>" * 200)
    Post.objects.update(body="<p>Long.</p>" * 40)
    judge(formulas, place_of(formulas, "v1"))  # three posts
    topic, documents = (page.locator(name).bounding_box() for name in (".pane.topic", ".documents"))
    assert topic["x"] + topic["width"] <= documents["x"] + 1
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    assert page.locator(".pane.topic").evaluate("pane => pane.scrollHeight > pane.clientHeight")
    expect(page.get_by_role("button", name="High").first).to_be_in_viewport()
    page.mouse.move(900, 400)
    page.mouse.wheel(0, 9000)
    expect(page.get_by_role("button", name="1. Answer post")).not_to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert page.evaluate("scrollY") == 0


def test_on_a_phone_each_further_answer_begins_at_the_top(new_page: NewPage, answers: Assignment, judge: Judge) -> None:
    Post.objects.update(body="<p>Long.</p>" * 40)
    write(answers, topic="<p>Long.</p>" * 40)
    page = new_page(width=400)
    judge(answers, 2, page)
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("3")  # nobody can have read the answer
    expect(page.locator("#status")).to_have_text(UNSEEN)
    expect(current(page).get_by_role("heading", name="Answer")).to_be_in_viewport(ratio=1)
    press_key(page, "3", to=3)
    assert current(page).locator("[data-document]").bounding_box()["y"] < 100
    saved(page)
    assert list(decisions_of(answers).values()) == ["3"]


@pytest.fixture
def below_a_long_question(new_page: NewPage, answers: Assignment, judge: Judge) -> Page:
    """The desk on a narrow screen, where the answer is out of sight."""
    write(answers, topic="<p>Long.</p>" * 40)
    page = new_page(width=400)
    judge(answers, 1, page)
    return page


SEEN = "new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen))))"


def test_an_answer_is_judged_only_after_it_was_in_sight(below_a_long_question: Page, answers: Assignment) -> None:
    page = below_a_long_question
    page.evaluate("document.querySelector('.item.current .shown-post').style.paddingBottom = '1000px'")
    grades = "document.querySelector('.item.current .grade-bar').offsetHeight"
    page.evaluate(
        f"scrollTo(0, document.querySelector('.item.current .shown-post').offsetTop - innerHeight + {grades} + 80)"
    )
    page.evaluate(SEEN)
    page.keyboard.press("3")  # a sliver is not enough
    expect(page.locator("#status")).to_have_text(UNSEEN)
    at(page, 1)
    assert not decisions_of(answers)

    open_again(page)
    at_once(page, "d1")  # the number is meant for reasons
    expect(page.locator("#status")).to_have_text("Ignored: pressed too early")
    expect(page.locator("dialog[open]")).to_have_count(0)
    press_key(page, "2", to=2)
    saved(page)
    assert list(decisions_of(answers).values()) == ["2"]

    open_again(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate(SEEN)
    page.evaluate("scrollTo(0, 0)")  # the question is read once more
    press_key(page, "3", to=3)
    saved(page)


def open_again(page: Page) -> None:
    """At the top, whatever was in sight before."""
    page.evaluate("scrollTo(0, 0)")
    page.reload()
    ready(page)
    expect(current(page).locator("[data-document]")).not_to_be_in_viewport()


IS_IN_SIGHT = """() => {
    const card = document.querySelector(".item.current .shown-post:is(.current, :only-of-type)");
    const parts = [card.querySelector(".highlight"), document.querySelector(".item.current .grade-bar")];
    const [formula, grades] = parts.map((one) => one.getBoundingClientRect());
    return formula.top >= 0 && formula.bottom <= grades.top;
}"""


def test_the_formula_is_in_view(page: Page, sign_in: SignIn, formulas: Assignment) -> None:
    for post in Post.objects.filter(kind="answer"):
        write(formulas, answer="<p>Long.</p>" * 40 + post.body + "<p>Long.</p>" * 40, unit=post.post_id)
    sign_in(page, formulas.assessor)
    for size in ((1100, 600), (640, 500), (400, 800)):
        formulas.judgments.all().delete()
        resize(page, *size)
        open_place(page, formulas, place_of(formulas, "v1"))  # three posts
        ready(page)
        if size[0] > 800:  # elsewhere the question comes first
            page.wait_for_function(IS_IN_SIGHT)
        else:
            page.keyboard.press("3")
            expect(page.locator("#status")).to_have_text(UNSEEN)
        for place in (1, 2):
            page.keyboard.press("3")
            expect(current(page).locator("[data-document]").nth(place)).to_have_class("card shown-post current")
            page.wait_for_function(IS_IN_SIGHT)
        turn_to(page, formulas, "v2")  # one post
        page.wait_for_function(IS_IN_SIGHT)
        saved(page)


CONTROLS = ".item.current .controls:is(.current, :only-child)"
OVERFLOWING = f"""() => [...document.querySelectorAll("{CONTROLS} .choice")].flatMap((button, chosen, all) => {{
    all.forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
    const isOver = (one) => {{
        const {{ right }} = one.getBoundingClientRect();
        return one.scrollWidth > one.clientWidth || one.querySelector("kbd").getBoundingClientRect().right > right - 4;
    }};
    return all.filter(isOver).map((one) => one.value);
}})"""
WIDTHS = [320, 360, 400, 480, 545, 575, 600, 640, 720, 799, 800, 860, 940, 1024, 1100, 1280, 1366, 1600, 1920]


@pytest.mark.parametrize(("preset", "unit"), [("arqmath3-task1", "11"), ("arqmath3-task2", "v1")])
def test_buttons_have_room_for_words_and_keys(preset: str, unit: str, judge: Judge) -> None:
    assignment = prepared(preset)
    page = judge(assignment, place_of(assignment, unit))  # v1 has three posts, so that they may not match
    page.evaluate("document.querySelectorAll('.more').forEach((more) => more.setAttribute('aria-expanded', 'true'))")
    for width, height in product(WIDTHS, (400, 800)):
        resize(page, width, height)
        for keys in ("add", "remove"):
            page.evaluate(f"document.documentElement.classList.{keys}('keys')")
            assert page.evaluate(OVERFLOWING) == [], keys
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    resize(page, 400, 700)
    topic, documents = (page.locator(name).bounding_box() for name in (".pane.topic", ".documents"))
    assert topic["y"] + topic["height"] <= documents["y"] + 1  # one above the other
    page.locator("[data-document]").first.scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="High").first).to_be_in_viewport()
    expect(page.get_by_role("button", name="Defer").first).to_be_in_viewport()


WIDE = "+".join(f"a_{{{n}}}x^{{{n}}}" for n in range(10, 60))


def test_a_wide_formula_scrolls_in_its_own_box(
    page: Page, sign_in: SignIn, answers: Assignment, problems: list[str]
) -> None:
    inline = cast.math("q_3", WIDE)
    block = inline.replace(">", ' data-display="block">', 1)
    write(answers, topic=f"<p>In a line {inline}.</p><ul><li>In a list {inline}</li></ul>{block}")
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    expect_to_scroll_alone(page)
    assert problems == []
    page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
    open_place(page, answers, 1)
    expect_to_scroll_alone(page)
    assert page.locator(".topic mjx-container").count() == 0  # MathML does it
    page.close()  # each item that comes looks for MathJax anew
    problems.clear()


def expect_to_scroll_alone(page: Page) -> None:
    page.wait_for_selector("html[data-typeset]", state="attached")
    for width, end in ((1280, 640), (400, 400)):
        resize(page, width, 860)
        boxes = page.locator(".topic .math-container").evaluate_all(
            """all => all.filter(formula => formula.dataset.tex.length > 200).map(formula =>
                formula.closest(".wide") ?? formula).map(box =>
                [box.scrollWidth > box.clientWidth, getComputedStyle(box).overflowX,
                    box.getBoundingClientRect().right])"""
        )
        assert [box[:2] for box in boxes] == [[True, "auto"]] * 3
        assert all(right <= end for *_, right in boxes)
        assert page.locator(".pane.topic").evaluate("pane => pane.scrollWidth <= pane.clientWidth")


def test_wide_titles_and_formulas_fit_their_cards_and_lists(page: Page, sign_in: SignIn, formulas: Assignment) -> None:
    Post.objects.filter(post_id="11").update(body=f"<p>{cast.math('110', WIDE)}</p>")
    nested = "".join(rf"x^{n}\sqrt{{" for n in range(2, 13)) + "x" + "}" * 11
    formulas.topic.title = cast.math("", rf"\int \sqrt{{{nested}}} dx")
    formulas.topic.save()
    sign_in(page, formulas.assessor)
    page.goto("/")
    card = page.locator(".cards > li")
    expect(card.locator("math")).to_be_visible()
    assert card.evaluate("card => [...card.children].every(child => child.offsetWidth < card.clientWidth)")
    resize(page, 400, 860)
    page.goto(f"/judge/{formulas.pk}/")
    page.wait_for_selector("html[data-typeset]", state="attached")
    expect(page.locator("h1 .wide")).to_be_visible()
    assert page.locator(".scroll").evaluate("box => box.scrollWidth <= box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    expect(page.get_by_text("Undo the last judgment")).to_be_hidden()  # there is nothing to undo


def test_boxes_have_edges_and_their_words_and_fields_do_not_touch(reader: Reader) -> None:
    page = reader()
    box, save = page.locator("dialog#reason"), page.locator("dialog#reason").get_by_role("button", name="Save")
    for size, key in product([(400, 800), (640, 400), (320, 256), (1280, 800)], "df"):
        resize(page, *size)
        page.keyboard.press(key)
        expect(save).to_be_in_viewport(ratio=1)
        outer, button = box.bounding_box(), save.bounding_box()
        assert button["y"] + button["height"] <= outer["y"] + outer["height"]
        reason = box.locator(".reasons:not([hidden]) button").first
        for side in ("top", "right", "bottom", "left"):
            expect(reason).to_have_css(f"border-{side}-style", "solid")
        leave(box)
    page.keyboard.press("/")
    page.keyboard.type("integral")
    page.keyboard.press("Enter")
    expect(page.locator("#reading .chip")).to_be_visible()
    assert page.evaluate(GAP, ["#reading .chip", "#reading [type=checkbox]"]) >= 4
    page.keyboard.press("Escape")
    page.locator("#ask summary").click()
    expect(page.locator("#ask textarea")).to_be_focused()
    assert page.evaluate(GAP, ["#ask label span", "#ask textarea"]) >= 4
    page.locator("dialog#login").evaluate("box => box.show()")
    assert page.evaluate(GAP, ["#login form p", "#login label"]) >= 4


GAP = """([above, below]) => {
    const words = document.createRange();
    words.selectNodeContents(document.querySelector(above));
    const { bottom } = [...words.getClientRects()].findLast((one) => one.width);
    return document.querySelector(below).getBoundingClientRect().top - bottom;
}"""
