"""The judging desk by mouse, its links, and all of it without JavaScript."""

from playwright.sync_api import Page, expect

from assess.models import Assignment, Judgment
from tests.browser.desk.desk import Judge, at, current, expect_saved, idle, met, open_place
from tests.desk import decisions_of, place_of, unit_at
from tests.pages import NewPage, SignIn


def test_one_click_judges_and_brings_the_next_and_one_on_an_outcome_asks_why(
    page: Page, answers: Assignment, judge: Judge
) -> None:
    judge(answers)
    current(page).get_by_role("button", name="Medium").click()
    expect(page.locator("#judged")).to_have_text("1")
    at(page, 2)
    expect_saved(page, answers, {unit_at(answers, 1): "2"})
    idle(page)
    current(page).get_by_role("button", name="Do not know").click()
    page.get_by_role("button", name="I do not understand the question").click()
    page.locator("dialog#reason").get_by_role("button", name="Save").click()
    expect(page.locator("#judged")).to_have_text("2")
    expect_saved(page, answers, {unit_at(answers, 1): "2", unit_at(answers, 2): "do_not_know"})


def test_all_works_without_scripts(
    new_page: NewPage, sign_in: SignIn, formulas: Assignment, problems: list[str]
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, formulas.assessor)
    page.goto("/")
    page.get_by_role("link", name="B.1", exact=True).click()  # the whole card is it
    expect(page.locator(".topic math").first).to_be_visible()
    open_place(page, formulas, place_of(formulas, "v1"))
    cards = page.locator("[data-document]")
    cards.nth(0).get_by_role("button", name="High").click()
    cards.nth(1).get_by_role("button", name="System failure").click()
    expect(cards.nth(1)).to_contain_text("System failure needs a comment that says why.")
    assert "422" in problems.pop()  # as the browser notes it
    cards.nth(1).get_by_label("Comment").fill("Boxes instead of symbols.")
    cards.nth(1).get_by_role("button", name="System failure").click()
    cards.nth(2).get_by_role("button", name="Not matching").click()
    expect(page.locator(".saved")).to_have_text("Saved")
    page.get_by_role("button", name="Defer").click()
    expect(page.get_by_role("button", name="Stop deferring")).to_be_visible()
    page.get_by_role("button", name="Not relevant").click()
    expect(page.get_by_text("All 2 judged. Thank you.")).to_be_visible()
    first, second, third = met(formulas, "v1")
    assert decisions_of(formulas) == {first: "3", second: "system_failure", third: "not_matching", "220": "0"}
    assert set(Judgment.objects.values_list("active_ms", flat=True)) == {0}
    open_place(page, formulas, place_of(formulas, "v2"))
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".saved")).to_have_text("Taken back")
    assert "220" not in decisions_of(formulas)


def test_the_thread_opens_beside_with_post_and_formula_marked(page: Page, formulas: Assignment, judge: Judge) -> None:
    judge(formulas, place_of(formulas, "v2"))
    with page.context.expect_page() as opened:
        page.keyboard.press("t")
    thread = opened.value
    expect(thread.locator("#post-22")).to_contain_text("the post you came from")
    expect(thread.locator("#post-22 .pooled")).to_be_visible()
    expect(thread.locator("#post-21 .pooled")).to_be_hidden()
    expect(thread.locator("#post-22 .math-container.highlight")).to_be_visible()
