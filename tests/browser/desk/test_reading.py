"""Reading at the desk: panes, text, theme, words in colours, guidelines."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests import cast
from tests.browser.desk.desk import Reader, ready, resize, turn_to, write
from tests.pages import NewPage


def share(page: Page) -> float:
    """The width of the question's pane, in percent."""
    return page.locator(".pane.topic").evaluate("pane => 100 * pane.offsetWidth / innerWidth")


def marked(page: Page, name: str) -> list[Any]:
    """The texts that a highlight marks, in what is on the screen."""
    script = """name => [...CSS.highlights.get(name)]
        .filter(range => !range.startContainer.parentElement.closest(".item:not(.current)"))
        .map(({startContainer, startOffset, endContainer, endOffset}) => {
            const range = new Range();
            range.setStart(startContainer, startOffset);
            range.setEnd(endContainer, endOffset);
            return range.toString();
        })"""
    return page.evaluate(script, name)


def mark(page: Page, *words: Any) -> None:
    page.keyboard.press("/")
    for word in words:
        expect(page.get_by_label("Highlight words")).to_be_focused()
        page.keyboard.type(word)
        page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#reading")).to_be_hidden()


def test_the_divider_is_dragged_or_moved_by_keyboard_and_stays_where_it_is(reader: Reader) -> None:
    page = reader()
    address = page.url
    assert share(page) == pytest.approx(42, abs=0.5)
    divider = page.get_by_role("separator")
    box = divider.bounding_box()
    page.mouse.move(box["x"], 400)
    page.mouse.down()
    page.mouse.move(384, 420, steps=4)
    page.mouse.up()
    assert share(page) == pytest.approx(30, abs=0.5)
    page.reload()
    assert share(page) == pytest.approx(30, abs=0.5)
    expect(divider).to_have_attribute("aria-valuenow", "30")
    divider.dblclick()
    assert share(page) == pytest.approx(42, abs=0.5)
    divider.focus()
    for key, percent in [("ArrowLeft", 40), ("ArrowRight", 42), ("Home", 25), ("Enter", 42), ("End", 75)]:
        page.keyboard.press(key)
        expect(divider).to_have_attribute("aria-valuenow", str(percent))
        assert share(page) == pytest.approx(percent, abs=0.5)
    assert page.url == address
    resize(page, 400, 800)
    page.reload()
    expect(page.locator("#divider")).to_be_hidden()  # there is room for one pane only
    assert share(page) == 100


def test_the_size_of_the_text_is_that_of_posts_and_formulas_only_and_is_kept(reader: Reader) -> None:
    page = reader()
    places = (".topic div.post", ".topic h1", ".item div.post", ".item .math-container svg", ".controls", ".desk-bar")

    def sizes() -> list[Any]:
        script = """part => part.localName === "svg" ? part.getBoundingClientRect().height
            : parseFloat(getComputedStyle(part).fontSize)"""
        return [page.locator(place).first.evaluate(script) for place in places]

    before = sizes()
    page.get_by_role("button", name="Reading").click()
    size = page.get_by_label("Text size")
    expect(size).to_be_focused()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(size).to_have_value("4")
    after = sizes()
    assert [now / then for now, then in zip(after, before, strict=True)] == pytest.approx([1.6] * 4 + [1, 1], rel=0.06)
    page.reload()
    page.wait_for_selector("html[data-desk=ready]", state="attached")
    assert sizes() == pytest.approx(after)


FIRST_COLOUR = """() => {
    window.seen = [];
    const look = () => document.body && window.seen.push(getComputedStyle(document.body).colorScheme);
    new MutationObserver(look).observe(document, {childList: true, subtree: true});
}"""


def test_theme_is_chosen_on_any_page_and_holds_before_anything_is_painted(reader: Reader, new_page: NewPage) -> None:
    page = reader(on=new_page(color_scheme="light", timezone_id="Asia/Tokyo"))
    assert {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}["zone"] == "Asia/Tokyo"
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    page.goto("/")
    page.get_by_label("Theme").select_option("dark")
    dark = page.evaluate(background)
    assert dark != light
    page.add_init_script(f"({FIRST_COLOUR})()")
    page.go_back()
    page.reload()
    page.wait_for_selector("html[data-desk=ready]", state="attached")
    assert page.evaluate(background) == dark
    # "normal": looked at before the style sheet was there, and so before anything could be painted
    assert set(page.evaluate("window.seen")) - {"normal"} == {"dark"}
    page.get_by_role("button", name="Reading").click()
    page.get_by_label("Theme").select_option("system")
    assert page.evaluate(background) == light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == dark


def test_words_are_marked_in_both_panes_and_in_the_items_to_come(reader: Reader, answers: Assignment) -> None:
    write(answers, topic=f"<p>Uniform <em>convergence</em> {cast.math('', 'uniform')}</p>")
    for unit in ("11", "12", "21"):
        write(answers, answer=f"<p>Uniformly convergent, nonuniform {unit}</p>", unit=unit)
    page = reader()
    mark(page, "uniform, uniform convergence", "converg")
    assert marked(page, "mark-0") == ["Uniform convergence", "Uniform"]
    assert marked(page, "mark-1") == ["converg", "converg"]
    turn_to(page, answers, "12")
    assert marked(page, "mark-0") == ["Uniform convergence", "Uniform"]
    page.reload()
    page.wait_for_selector("html[data-desk=ready]", state="attached")
    assert marked(page, "mark-1") == ["converg", "converg"]
    page.get_by_role("button", name="Reading").click()
    page.get_by_role("button", name="converg", exact=True).click()
    assert marked(page, "mark-1") == []


IS_READ = """() => {
    const [{ top, bottom }, title] = ["#guide", "#guide summary"].map(
        (one) => document.querySelector(one).getBoundingClientRect(),
    );
    const pane = document.querySelector("#topic").getBoundingClientRect();
    const controls = document.querySelector(".item.current .grade-bar");
    const isOver = getComputedStyle(controls).position === "fixed";
    const query = document.querySelector("#query");
    const covered = getComputedStyle(query).position === "sticky" ? query.offsetHeight : 0;
    const [above, below] = [Math.max(pane.top, covered), isOver ? controls.getBoundingClientRect().top : innerHeight];
    const isWhole = bottom <= below || title.top <= above + 20; // its end, or its title at the top
    return title.top >= above && title.bottom <= below && isWhole;
}"""
PLACES = """() => [document.querySelector("#topic").scrollTop, scrollY,
    document.querySelector(".item.current [data-document]").getBoundingClientRect().top]"""


def test_a_key_opens_the_guidelines_and_leads_back_and_both_are_kept(reader: Reader, answers: Assignment) -> None:
    write(answers, topic="<p>Long.</p>" * 60)
    page = reader()
    page.locator("#guide").evaluate("guide => guide.open = false")
    for width, height in ((1280, 500), (400, 800)):
        resize(page, width, height)
        page.evaluate("scrollTo(0, 0); document.querySelector('#topic').scrollTop = 0")
        page.locator(".item.current [data-document]").scroll_into_view_if_needed()
        before = page.evaluate(PLACES)
        for leave in ("g", "Escape", "g"):
            page.keyboard.press("g")
            page.wait_for_function(IS_READ)
            expect(page.locator("#guide summary")).to_be_focused()
            page.keyboard.press(leave)
            expect(page.locator("#guide dl")).to_be_hidden()
            expect(page.locator(".item.current [data-document]")).to_be_focused()
            assert page.evaluate(PLACES) == pytest.approx(before, abs=1)
    for keys, is_open in (("g", True), ("g Escape", False)):
        for key in keys.split():
            page.keyboard.press(key)
        page.reload()
        ready(page)
        assert page.locator("#guide").evaluate("guide => guide.open") is is_open
