"""Where the judging desk puts panes, grades and formulas, on wide and narrow screens."""

from itertools import product

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from assess.models import Assignment, Instance, Post
from assess.services.pool import freezing
from tests import cast
from tests.browser.judging.desk import (
    UNSEEN,
    Judge,
    Reader,
    at,
    at_once,
    current,
    leave,
    open_place,
    prepared,
    ready,
    resize,
    saved,
    turn_to,
    write,
)
from tests.browser.judging.ledger import OpenDesk, judged_elsewhere
from tests.desk import decisions, place_of
from tests.pages import NewPage, SignIn


def test_panes_stand_beside_each_other_and_scroll_alone(page: Page, judge: Judge, formulas: Assignment) -> None:
    write(formulas, topic="<p>Long.</p>" * 200)
    Post.objects.update(body="<p>Long.</p>" * 40)
    judge(formulas, place_of(formulas, "v1"))  # three posts
    topic, candidates = (page.locator(name).bounding_box() for name in (".pane.topic", ".candidates"))
    assert topic["x"] + topic["width"] <= candidates["x"] + 1
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    assert page.locator(".pane.topic").evaluate("pane => pane.scrollHeight > pane.clientHeight")
    expect(page.get_by_role("button", name="High").first).to_be_in_viewport()
    page.mouse.move(900, 400)
    page.mouse.wheel(0, 9000)
    expect(page.locator("[data-candidate]").first).not_to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert page.evaluate("scrollY") == 0


def test_on_a_phone_each_further_answer_begins_at_the_top(new_page: NewPage, answers: Assignment, judge: Judge) -> None:
    write(answers, topic="<p>Long.</p>" * 40)
    Post.objects.update(body="<p>Long.</p>" * 40)
    freezing.seal_all(answers.topic.campaign, Instance.objects.filter(entry__topic=answers.topic), cast.on_progress)
    page = new_page(width=400)
    judge(answers, 2, page)
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("3")  # nobody can have read the answer
    expect(page.locator("#status")).to_have_text(UNSEEN)
    expect(current(page).get_by_role("heading", name="Answer")).to_be_in_viewport(ratio=1)
    page.keyboard.press("3")
    at(page, 3)
    assert current(page).locator("[data-candidate]").bounding_box()["y"] < 100
    saved(page)
    assert list(decisions(answers).values()) == ["3"]


@pytest.fixture
def below_a_long_question(new_page: NewPage, answers: Assignment, judge: Judge) -> Page:
    """The desk on a narrow screen, where the answer is out of sight."""
    write(answers, topic="<p>Long.</p>" * 40)
    freezing.seal_all(answers.topic.campaign, Instance.objects.filter(entry__topic=answers.topic), cast.on_progress)
    page = new_page(width=400)
    judge(answers, 1, page)
    return page


def test_a_sliver_of_the_answer_is_not_enough_to_judge_it(below_a_long_question: Page, answers: Assignment) -> None:
    page = below_a_long_question
    page.evaluate("document.querySelector('.item.current .candidate').style.paddingBottom = '1000px'")
    grades = "document.querySelector('.item.current .controls').offsetHeight"
    page.evaluate(
        f"scrollTo(0, document.querySelector('.item.current .candidate').offsetTop - innerHeight + {grades} + 80)"
    )
    page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen))))")
    page.keyboard.press("3")
    expect(page.locator("#status")).to_have_text(UNSEEN)
    at(page, 1)
    assert not decisions(answers)


def test_number_after_key_that_brought_the_answer_is_no_grade(below_a_long_question: Page, answers: Assignment) -> None:
    page = below_a_long_question
    at_once(page, "d1")
    expect(page.locator("#status")).to_have_text("Key ignored: pressed too early")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.keyboard.press("2")
    at(page, 2)
    saved(page)
    assert list(decisions(answers).values()) == ["2"]


def test_an_answer_that_was_scrolled_to_is_judged_by_the_first_key(below_a_long_question: Page) -> None:
    page = below_a_long_question
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen))))")
    page.evaluate("scrollTo(0, 0)")  # the question is read once more
    page.keyboard.press("3")
    at(page, 2)
    saved(page)


IS_IN_SIGHT = """() => {
    const card = document.querySelector(".item.current .candidate:is(.current, :only-child)");
    const [formula, grades] = [".highlight", ".controls"].map((one) => card.querySelector(one).getBoundingClientRect());
    return formula.top >= 0 && formula.bottom <= grades.top;
}"""


@pytest.mark.parametrize("size", [(1100, 600), (640, 500), (400, 800)])
def test_the_formula_is_in_view(
    new_page: NewPage, sign_in: SignIn, formulas: Assignment, size: tuple[int, int]
) -> None:
    for post in Post.objects.all():
        post.body = "<p>Long.</p>" * 40 + post.body + "<p>Long.</p>" * 40
        post.save()
    freezing.seal_all(formulas.topic.campaign, Instance.objects.filter(entry__topic=formulas.topic), cast.on_progress)
    page = new_page(*size)
    sign_in(page, formulas.assessor)
    open_place(page, formulas, place_of(formulas, "v1"))  # three posts
    ready(page)
    if size[0] > 800:  # elsewhere the question comes first
        page.wait_for_function(IS_IN_SIGHT)
    else:
        page.keyboard.press("3")
        expect(page.locator("#status")).to_have_text(UNSEEN)
    for place in (1, 2):
        page.keyboard.press("3")
        expect(current(page).locator("[data-candidate]").nth(place)).to_have_class("card candidate current")
        page.wait_for_function(IS_IN_SIGHT)
    turn_to(page, formulas, "v2")  # one post
    page.wait_for_function(IS_IN_SIGHT)
    saved(page)


def test_mathjax_sets_formulas_and_keeps_mathml(page: Page, sign_in: SignIn, formulas: Assignment) -> None:
    sign_in(page, formulas.assessor)
    open_place(page, formulas, 1)
    page.wait_for_selector("html[data-typeset]", state="attached")
    formula = page.locator(".topic .math-container.highlight")
    expect(formula.locator("mjx-container > svg")).to_be_visible()
    expect(formula.locator("mjx-assistive-mml math")).to_have_count(1)
    clip = formula.locator("mjx-assistive-mml").evaluate("element => getComputedStyle(element).clip")
    assert clip == "rect(1px, 1px, 1px, 1px)"  # heard, not seen
    background = formula.evaluate("element => getComputedStyle(element).backgroundColor")
    assert background == "rgb(255, 233, 107)"  # yellow


OVERFLOWING = """() => [...document.querySelectorAll(".item.current .choice")].flatMap((button, chosen, all) => {
    all.forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
    const isOver = (one) => {
        const { right } = one.getBoundingClientRect();
        return one.scrollWidth > one.clientWidth || one.querySelector("kbd").getBoundingClientRect().right > right - 4;
    };
    return all.filter(isOver).map((one) => one.value);
})"""
WIDTHS = [320, 360, 400, 480, 545, 575, 600, 640, 720, 799, 800, 860, 940, 1024, 1100, 1280, 1366, 1600, 1920]


@pytest.mark.parametrize("preset", ["arqmath3-task1", "arqmath3-task2"])
def test_no_button_is_too_narrow_for_its_words_and_its_key(preset: str, judge: Judge) -> None:
    page = judge(prepared(preset))
    for width, height in product(WIDTHS, (800, 400)):
        resize(page, width, height)
        for keys in ("add", "remove"):
            page.evaluate(f"document.documentElement.classList.{keys}('keys')")
            assert page.evaluate(OVERFLOWING) == [], keys
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    resize(page, 400, 700)
    topic, candidates = (page.locator(name).bounding_box() for name in (".pane.topic", ".candidates"))
    assert topic["y"] + topic["height"] <= candidates["y"] + 1  # one above the other
    page.locator("[data-candidate]").first.scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="High").first).to_be_in_viewport()
    expect(page.get_by_role("button", name="Defer")).to_be_in_viewport()


LINES = """() => [...document.querySelectorAll(".item.current .choice")].map((button, chosen, all) => {
    all.forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
    const boxes = [".comment", ".take-back"].map((one) => document.querySelector(`.item.current ${one}`));
    const [comment, back] = boxes.map((one) => one.getBoundingClientRect());
    return [comment.left, comment.right < back.left, back.top < comment.bottom && back.bottom > comment.top].join();
})"""


def test_the_undo_button_is_beside_the_comment(judge: Judge, formulas: Assignment) -> None:
    page = judge(formulas, place_of(formulas, "v1"))  # three posts, so that they may not match
    page.locator(".item.current .take-back").first.evaluate("button => button.hidden = false")
    for width in WIDTHS:
        resize(page, width, 800)
        (lines,) = set(page.evaluate(LINES))
        assert lines.endswith("true,true")


WIDE = "+".join(f"a_{{{n}}}x^{{{n}}}" for n in range(10, 60))


@pytest.mark.parametrize("setter", ["MathJax", "MathML"])
def test_a_wide_formula_scrolls_in_its_own_box(
    page: Page, sign_in: SignIn, answers: Assignment, setter: str, problems: list[str]
) -> None:
    inline = cast.math("q_3", WIDE)
    block = inline.replace(">", ' data-display="block">', 1)
    answers.topic.body = f"<p>In a line {inline}.</p><ul><li>In a list {inline}</li></ul>{block}"
    answers.topic.save()
    if setter == "MathML":
        page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
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
    if setter == "MathML":
        assert page.locator(".topic mjx-container").count() == 0
        page.close()  # each item that comes looks for MathJax anew
        problems.clear()


def test_the_list_fits_a_narrow_screen(new_page: NewPage, sign_in: SignIn, formulas: Assignment) -> None:
    Post.objects.filter(post_id="11").update(body=f"<p>{cast.math('110', WIDE)}</p>")
    page = new_page(width=400, height=860)
    sign_in(page, formulas.assessor)
    page.goto(f"/judge/{formulas.pk}/")
    page.wait_for_selector("html[data-typeset]", state="attached")
    assert page.locator(".scroll").evaluate("box => box.scrollWidth <= box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_the_box_of_reasons_has_edges_and_its_button_in_sight(answers: Assignment, judge: Judge) -> None:
    page = judge(answers, place_of(answers, "11"))
    box, save = page.locator("dialog#reason"), page.locator("dialog#reason").get_by_role("button", name="Save")
    for size, key in product([(1280, 800), (400, 800), (640, 400), (320, 256)], "df"):
        resize(page, *size)
        page.keyboard.press(key)
        expect(save).to_be_in_viewport(ratio=1)
        outer, button = box.bounding_box(), save.bounding_box()
        assert button["y"] + button["height"] <= outer["y"] + outer["height"]
        reason = box.locator(".reasons:not([hidden]) button").first
        for side in ("top", "right", "bottom", "left"):
            expect(reason).to_have_css(f"border-{side}-style", "solid")
        leave(box)


GAP = """([above, below]) => {
    const words = document.createRange();
    words.selectNodeContents(document.querySelector(above));
    const { bottom } = [...words.getClientRects()].findLast((one) => one.width);
    return document.querySelector(below).getBoundingClientRect().top - bottom;
}"""


def test_words_and_fields_do_not_touch(reader: Reader) -> None:
    page = reader()
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


@pytest.mark.problems_expected  # the conflict
def test_a_box_stays_within_a_narrow_window(new_page: NewPage, client: Client, open_desk: OpenDesk) -> None:
    page = new_page(width=400)
    ledger = open_desk(on=page)
    judged_elsewhere(client, ledger, 1, "2")
    page.keyboard.press("3")
    box = page.locator("dialog#conflict")
    expect(box.locator("[data-item] svg").first).to_be_visible()
    box.locator("[data-item] svg").first.evaluate("formula => formula.style.minWidth = '600px'")
    place = box.bounding_box()
    assert (place["x"] >= 0, place["x"] + place["width"] <= 400) == (True, True)
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
