"""Organizers' pages in narrow windows, and while the server is at work."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from assess.models import Campaign
from tests.cast import make_campaign, make_cast, make_pool
from tests.pages import NewPage, SignIn
from tests.web.organizer import make_run


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("arqmath3-task2", "Formulas")
    campaign.topics.update(latex="+".join(f"x_{{{n}}}" for n in range(60)))
    make_run(campaign, name="Team-task2-a_run_with_a_long_name-auto-both-P")
    return campaign


def test_tables_scroll_while_run_names_stay_in_view(campaign: Campaign, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(width=400)
    sign_in(page, make_cast(campaign).olga)
    make_pool(campaign, frozen=False)
    for name in ("pool", "runs"):
        page.goto(reverse(name, args=[campaign.slug]))
        page.wait_for_selector("html[data-typeset=done]")
        assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.locator(".scroll").evaluate("box => box.scrollTo(10_000, 0)")
    expect(page.locator("table.runs tbody th")).to_be_in_viewport(ratio=0.95)
    expect(page.locator("table.runs tbody td").last).to_be_in_viewport(ratio=1)
    row, values = (page.locator(f"table.runs tbody {cell}").last.bounding_box() for cell in ("th", "td"))
    assert row["x"] + row["width"] <= values["x"]


def test_a_button_shows_that_its_form_is_on_its_way(campaign: Campaign, page: Page, sign_in: SignIn) -> None:
    sign_in(page, make_cast(campaign).olga)
    make_pool(campaign, frozen=False)
    page.goto(reverse("pool", args=[campaign.slug]))
    page.wait_for_selector("html[data-typeset=done]")
    page.route("**/pool/freeze/", lambda route: route.fulfill(status=204))  # no page follows
    page.get_by_label("Freeze anyway").check()
    page.get_by_role("button", name="Freeze").click()
    expect(page.locator("[aria-busy=true]")).to_have_text("Freeze")
