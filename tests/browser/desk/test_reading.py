"""Reading at the desk: panes, text, theme, words in colours, links."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests import cast
from tests.browser.desk.desk import Reader, open_place, resize, turn_to, write
from tests.pages import NewPage, SignIn


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


def test_a_campaign_has_six_colours_of_words_and_one_click_frees_one(reader: Reader, answers: Assignment) -> None:
    write(answers, answer="<p>One two three.</p>")
    page = reader()
    mark(page, "one", "two")
    page.get_by_role("button", name="Reading").click()
    page.get_by_role("button", name="one", exact=True).click()
    assert marked(page, "mark-0") == []
    page.keyboard.type("three")
    page.keyboard.press("Enter")
    assert (marked(page, "mark-0"), marked(page, "mark-1")) == (["three"], ["two"])
    for word in ("four", "five", "six", "seven"):
        expect(page.get_by_label("Highlight words")).to_be_editable()
        page.keyboard.type(word)
        page.keyboard.press("Enter")
    expect(page.get_by_label("Highlight words")).not_to_be_editable()
    expect(page.get_by_text("All colors are in use")).to_be_visible()
    other = cast.make_assignment(cast.make_pool(cast.make_campaign(name="Other lab")), answers.assessor)
    open_place(page, other, 1)
    page.get_by_role("button", name="Reading").click()
    expect(page.locator(".chip")).to_have_count(0)


def test_the_words_of_the_title_are_marked_only_where_that_is_wanted(reader: Reader, answers: Assignment) -> None:
    answers.topic.title = "How large is the limit?"
    answers.topic.save()
    write(answers, answer="<p>The limit is not so large.</p>")
    page = reader()
    assert marked(page, "mark-6") == []
    page.get_by_role("button", name="Reading").click()
    page.get_by_label("Also highlight the words of the topic").check()
    assert marked(page, "mark-6") == ["large", "limit", "limit", "large"]


def test_links_say_where_they_lead_and_leave_the_desk_open(reader: Reader, answers: Assignment, page: Page) -> None:
    site = "https://math.stackexchange.com/q"
    write(answers, answer=f'<p><a href="{site}/20">open</a> <a href="{site}/30">closed</a></p>')
    reader()
    outside = page.get_by_role("link", name="closed (leads outside)")
    expect(outside).to_have_attribute("title", "Leads outside: math.stackexchange.com")
    assert outside.evaluate("link => getComputedStyle(link, '::after').width") != "auto"
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="open").click()
    expect(opened.value).to_have_url(f"/c/{answers.topic.campaign.slug}/threads/20/#post-20")


def test_without_scripts_no_dead_controls(new_page: NewPage, sign_in: SignIn, answers: Assignment) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, answers.assessor)
    open_place(page, answers, 1)
    expect(page.get_by_role("button", name="Reading")).to_be_hidden()
    expect(page.locator("#divider")).to_be_hidden()
    page.goto("/")
    expect(page.get_by_label("Theme")).to_be_hidden()
