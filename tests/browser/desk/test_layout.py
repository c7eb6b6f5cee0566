"""Where the judging desk puts panes, grades and formulas, and what stays in sight, on wide, narrow and low windows."""

from itertools import product

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
    open_place,
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
    page = judge(answers, 2, new_page(width=400))
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("3")  # nobody can have read the answer
    expect(page.locator("#status")).to_have_text(UNSEEN)
    expect(current(page).get_by_role("heading", name="Answer")).to_be_in_viewport(ratio=1)
    press_key(page, "3", to=3)
    assert current(page).locator("[data-document]").bounding_box()["y"] < 100
    saved(page)
    assert list(decisions_of(answers).values()) == ["3"]


SEEN = "new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen))))"


def test_an_answer_is_judged_only_after_it_was_in_sight(new_page: NewPage, answers: Assignment, judge: Judge) -> None:
    write(answers, topic="<p>Long.</p>" * 40)
    page = judge(answers, 1, new_page(width=400))
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
WIDTHS = [320, 360, 400, 480, 575, 640, 799, 800, 940, 1100, 1280, 1920]


def test_buttons_have_room_for_words_and_keys(judge: Judge, formulas: Assignment) -> None:
    page = judge(formulas, place_of(formulas, "v1"))  # it has three posts, so that they may not match
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


LONG = "<p>Long.</p>" * 40


def test_query_and_bar_stay_in_sight_and_a_key_leads_to_the_marked_formula(judge: Judge, formulas: Assignment) -> None:
    for post in ("11", "12", "21"):
        write(formulas, answer=f"{LONG}<p>See {cast.math(post + '0', 'x+1')}.</p>{LONG}", unit=post)
    write(formulas, topic=LONG)
    page = judge(formulas, place_of(formulas, "v1"))
    formula = current(page).locator(".shown-post.current .highlight")
    formula.evaluate("""formula => {
        const fold = document.createElement("details");
        formula.closest("p").before(fold);
        fold.append(formula.closest("p"));
        formula.closest(".item").scrollTop = 0;
    }""")
    expect(formula).not_to_be_in_viewport()
    page.keyboard.press("m")  # opens what it is folded in
    expect(formula).to_be_in_viewport(ratio=1)
    query = page.locator("#query")
    for width, height in ((1280, 800), (400, 860), (844, 390)):
        resize(page, width, height)
        for scroll in ("scrollTo(0, document.body.scrollHeight)", "document.querySelector('#topic').scrollTop = 9999"):
            page.evaluate(scroll)
            expect(query).to_be_in_viewport(ratio=1)
        assert query.bounding_box()["height"] <= 0.2 * height
    for width, height, lines in ((844, 390, 1), (320, 640, 2)):
        resize(page, width, height)
        assert page.locator(".desk-bar").bounding_box()["height"] <= 36 * lines, (width, height)
    expect(page.locator("#list")).to_contain_text("B.1")


def test_the_grades_of_a_long_answer_stay_at_the_foot_but_cover_nothing_in_a_low_window(
    reader: Reader, answers: Assignment
) -> None:
    write(answers, answer=LONG)
    page = reader()
    expect(current(page).get_by_role("button", name="High")).to_be_in_viewport(ratio=1)
    for height, position in ((256, "static"), (860, "fixed")):
        resize(page, 320, height)
        expect(current(page).locator(".grade-bar")).to_have_css("position", position)
        expect(page.locator(".desk-foot")).to_have_css("position", position)
