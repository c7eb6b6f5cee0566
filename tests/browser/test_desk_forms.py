"""The judging desk by mouse: its form, its links, and all of it without JavaScript."""

import pytest
from playwright.sync_api import expect

from assess.models import Judgment, JudgmentEvent
from tests.browser.desk import met, open_place, ready
from tests.desk import decisions, place_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_saved_is_not_said_of_what_is_newly_chosen(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v2"))
    ready(page)
    page.keyboard.press("3")
    expect(page.locator(".saved")).to_have_text("Saved")
    page.get_by_label("Low").first.check()
    expect(page.locator(".saved")).to_be_empty()


@pytest.mark.parametrize(("link", "address"), [("All entries", "/judge/{}/"), ("Assess", "/")])
def test_leaving_the_desk_keeps_what_was_chosen(page, live_server, sign_in, answers, link, address):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "11"))
    ready(page)
    page.get_by_label("Medium").check()
    page.locator(f'.desk-bar a:is([title^="{link}"], .brand:text-is("{link}"))').click()
    page.wait_for_url(f"{live_server.url}{address.format(mine.pk)}")
    assert decisions(mine) == {"11": "2"}


def test_leaving_waits_for_a_comment_and_the_button_still_opens_the_next(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    page.get_by_label("Do not know").check()
    page.locator("a[data-go=list]").click()
    assert page.url.endswith("/1/")
    page.get_by_label("Annotator comment").fill("Two readings are possible.")
    page.get_by_role("button", name="Save and next").click()
    page.wait_for_url("**/2/")
    assert list(decisions(mine).values()) == ["do_not_know"]


def test_the_browser_asks_for_the_comment_before_it_sends(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    page.keyboard.press("d")
    page.get_by_role("button", name="Save and next").click()
    assert page.url.endswith("/1/")
    assert decisions(mine) == {}
    page.get_by_label("Annotator comment").fill("Two readings are possible.")
    page.get_by_role("button", name="Save and next").click()
    expect(page.locator(".saved")).to_have_text("Saved")
    assert list(decisions(mine).values()) == ["do_not_know"]


def test_a_changed_judgment_keeps_its_history(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    for label in ("High", "Low"):
        open_place(page, live_server, mine, 1)
        page.get_by_label(label).check()
        page.get_by_role("button", name="Save and next").click()
        expect(page.locator(".saved")).to_have_text("Saved")
    open_place(page, live_server, mine, 1)
    expect(page.get_by_label("Low")).to_be_checked()
    assert list(JudgmentEvent.objects.values_list("old_decision", "decision")) == [("", "3"), ("3", "1")]


def test_everything_works_without_javascript(new_page, live_server, sign_in, formulas):
    ada, mine = formulas
    page = new_page(java_script_enabled=False)
    sign_in(page, ada)
    page.goto(live_server.url)
    page.get_by_role("link", name="B.1").click()
    page.get_by_role("link", name="Start judging").click()
    expect(page.locator(".topic math").first).to_be_visible()
    open_place(page, live_server, mine, place_of(mine, "v1"))
    cards = page.locator("[data-candidate]")
    cards.nth(0).get_by_label("High").check()
    cards.nth(1).get_by_label("System failure").check()
    page.get_by_role("button", name="Save and next").click()
    expect(cards.nth(1)).to_contain_text("System failure needs a comment that says why.")
    expect(cards.nth(0).get_by_label("High")).to_be_checked()
    refused = page.problems.pop()  # as the browser notes it
    assert "422" in refused
    cards.nth(1).get_by_label("Annotator comment").fill("Boxes instead of symbols.")
    cards.nth(2).get_by_label("Not matching").check()
    page.get_by_role("button", name="Save and next").click()
    expect(page.locator(".saved")).to_have_text("3 saved")
    page.get_by_label("Not relevant").check()
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_text("All 2 judged. Thank you.")).to_be_visible()
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "3", second: "system_failure", third: "not_matching", "220": "0"}
    assert set(Judgment.objects.values_list("active_ms", flat=True)) == {0}


def test_the_thread_opens_beside_with_post_and_formula_marked(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v2"))
    with page.context.expect_page() as opened:
        page.locator("[data-candidate] a.thread").click()
    thread = opened.value
    expect(thread.locator("#post-22")).to_contain_text("the post you came from")
    expect(thread.locator("#post-22 .pooled")).to_be_visible()
    expect(thread.locator("#post-21 .pooled")).to_be_hidden()
    expect(thread.locator("#post-22 .math-container.highlight")).to_be_visible()
