"""The header of all pages but the desk's: one line on a narrow screen, with a menu."""

import pytest
from playwright.sync_api import expect

from tests import cast
from tests.pages import NewPage, SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("has_scripts", [True, False])
def test_on_a_narrow_screen_the_header_takes_one_line(has_scripts: bool, new_page: NewPage, sign_in: SignIn) -> None:
    campaign = cast.make_campaign(name="A campaign whose name is longer than any narrow screen shows")
    page = new_page(width=400, java_script_enabled=has_scripts)
    sign_in(page, cast.make_cast(campaign).olga)
    page.goto(campaign.get_absolute_url())
    assert page.locator("header.top").bounding_box()["height"] < 60
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    members = page.get_by_role("link", name="Members").first
    expect(page.locator("nav.sections")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(page.locator("nav.sections")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("nav.sections")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.locator("nav.sections").get_by_role("link", name="Members").click()
    expect(page.get_by_role("heading", name="Members", level=1)).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(members).to_be_visible()
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()


@pytest.mark.parametrize("has_scripts", [True, False])
def test_every_page_is_two_clicks_or_keys_away(has_scripts: bool, new_page: NewPage, sign_in: SignIn) -> None:
    campaign = cast.make_campaign()
    page = new_page(java_script_enabled=has_scripts)
    sign_in(page, cast.make_cast(campaign).olga)
    page.goto(campaign.get_absolute_url())
    menu = page.get_by_role("navigation", name="Campaign")
    expect(menu.get_by_role("link")).to_have_text(["Overview", "Set-up", "People", "Judging", "Results", "Settings"])
    menu.get_by_role("link", name="Judging").press("Enter")
    menu.get_by_role("link", name="Agreement").press("Enter")
    expect(page.get_by_role("heading", name="Agreement")).to_be_visible()
