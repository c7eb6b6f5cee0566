"""The judging desk for everybody: no violation that axe finds, by keyboard alone, at 400 pixels and at 200 % zoom."""

from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests.browser.axe import violations, violations_in
from tests.browser.desk.desk import Judge, at_once, current, expect_saved, leave, note_statuses, press_key, saved
from tests.desk import place_of
from tests.pages import NewPage


def test_axe_finds_nothing_at_the_desk_and_each_decision_is_heard_once(judge: Judge, formulas: Assignment) -> None:
    page = judge(formulas, place_of(formulas, "v1"))
    page.wait_for_selector("html[data-typeset]", state="attached")
    assert violations_in(page) == []
    for key, name in (("d", "reason"), ("?", "keys")):
        page.keyboard.press(key)
        box = page.locator(f"dialog#{name}")
        expect(box).to_be_visible()
        assert violations(page) == [], name
        leave(box)
    note_statuses(page)
    press_key(page, "3")
    press_key(page, "r", to=place_of(formulas, "v2"))
    saved(page)
    first = place_of(formulas, "v1")  # of each decision once, and not that it waits
    assert page.evaluate("told") == [f"{first} (1 of 3): High", f"{first} (2, 3 of 3): High"]
    page.goto(f"/judge/{formulas.pk}/")
    page.wait_for_selector("html[data-typeset]", state="attached")
    assert violations_in(page) == []


def test_everything_can_be_reached_and_done_with_tab_and_enter(page: Page, answers: Assignment, judge: Judge) -> None:
    judge(answers, place_of(answers, "11"))
    page.keyboard.press("?")
    page.get_by_label("Judge with the keyboard on this computer").uncheck()
    page.get_by_role("button", name="Close").click()
    current(page).locator("[data-document]").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == "2":
            break
    page.keyboard.press("Enter")
    expect(page.locator("#judged")).to_have_text("1")
    expect_saved(page, answers, {"11": "2"})


def heard(page: Page) -> tuple[str, str, str, str]:
    """What a screen reader says: the status line; the name of what has the focus and of what that is in, and how it is
    described."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    nodes = {node["nodeId"]: node for node in tree}
    states = {key: {each["name"] for each in node.get("properties", [])} for key, node in nodes.items()}
    focused = [node for key, node in nodes.items() if "focused" in states[key]][-1]
    said = [focused["name"]["value"], nodes[focused["parentId"]]["name"]["value"]]
    return page.locator("#status").inner_text(), *said, focused.get("description", {}).get("value", "")


MIDDLE = "item => item.contains(document.elementFromPoint(innerWidth * 3 / 4, innerHeight / 2))"


def test_the_decision_is_heard_and_then_the_next_document(answers: Assignment, judge: Judge) -> None:
    page = judge(answers)
    drawn = page.locator(".item.next.ready[data-place='2']")  # but there for nobody yet
    expect(drawn).to_have_css("content-visibility", "visible")
    expect(drawn).to_have_css("opacity", "0.001")
    expect(page.locator(".item:not(.current, [inert])")).to_have_count(0)
    assert current(page).evaluate(MIDDLE)
    status = page.locator("#status")
    at_once(page, "12")
    for text in ("Ignored: pressed too early", "1: Low"):  # what the note held up comes after it
        expect(status).to_have_text(text)
        expect(status).not_to_have_attribute("aria-live", "off")
    assert current(page).evaluate(MIDDLE)
    expect(page.locator(".item[inert][data-place='1']")).to_have_count(1)
    expect(page.locator(".item:not([inert])")).to_have_count(1)
    for key, to, said in [("1", 3, "2: Low"), ("u", 2, "Undone: 2"), ("3", 3, "2: High")]:
        press_key(page, key, to=to)
        expect(status).to_have_text(said)
        expect(current(page).locator("[data-document]")).to_be_focused()
        assert heard(page) == (said, "Answer", f"{to} of 4", "")
    press_key(page, "k", to=2)
    expect(current(page).locator("[data-document]")).to_be_focused()
    *_, place, judged = heard(page)
    assert (place, judged.partition(",")[0]) == ("2 of 4", "You judged this High")


def test_at_twice_the_size_nothing_is_cut_off(new_page: NewPage, formulas: Assignment, judge: Judge) -> None:
    page = new_page(width=640, height=400, device_scale_factor=2)  # 1280 x 800 at 200 %
    judge(formulas, place_of(formulas, "v1"), page)
    current(page).locator("[data-document]").first.evaluate("card => card.scrollIntoView()")
    assert page.evaluate("document.documentElement.scrollWidth") == 640
    controls = current(page).locator(".controls").filter(visible=True)
    controls.get_by_role("button", name="More").click()
    for name in ("High", "Medium", "Low", "Not relevant", "Do not know", "System failure"):
        expect(controls.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    expect(controls.get_by_label("Comment")).to_be_in_viewport(ratio=1)
    defer = page.get_by_role("button", name="Defer")
    expect(defer).to_be_in_viewport(ratio=1)
    foot = page.locator(".desk-foot").bounding_box()
    box = controls.bounding_box()
    assert foot["y"] + foot["height"] <= box["y"] + 1
    for key, closes in [("d", ("Save", "Cancel")), ("?", ("Close", "Change keys"))]:
        page.keyboard.press(key)
        for name in closes:
            expect(page.locator("dialog[open]").get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
