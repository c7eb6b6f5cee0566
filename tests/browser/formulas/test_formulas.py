"""The pages of visual ids in a browser: tables in a narrow window, and the icon of every page."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from assess.services.formulas import repairs
from tests.cast import make_campaign, make_cast, make_pool, math, on_progress
from tests.formulas import import_index
from tests.pages import SignIn
from tests.services.formulas.test_visual_ids import MIXED

LATEX = r"\alpha_{1}+\beta_{2}+\gamma_{3}"


def test_in_a_narrow_window_the_rows_of_a_repair_are_not_tall(page: Page, sign_in: SignIn, tmp_path: Path) -> None:
    campaign = make_campaign("arqmath2-task2")
    people = make_cast(campaign)
    import_index(campaign, tmp_path, *MIXED, ("320", "v1", LATEX))
    repairs.propose_repair(campaign.collection, people.olga, on_progress)
    sign_in(page, people.olga)
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(reverse("formula_repair", args=[campaign.slug, 2]))
    page.wait_for_selector("[data-typeset=done]")
    heights = page.evaluate("[...document.querySelectorAll('table.data tbody tr')].map(row => row.offsetHeight)")
    line = page.evaluate("parseFloat(getComputedStyle(document.querySelector('table.data td')).lineHeight)")
    assert len(heights) == 3
    assert max(heights) < 4 * line


@pytest.mark.parametrize(("width", "minimum"), [(400, 150), (1280, 500)])
def test_a_long_formula_in_a_pool_scrolls_to_its_end(width: int, minimum: int, page: Page, sign_in: SignIn) -> None:
    campaign = make_campaign("arqmath3-task2")
    people = make_cast(campaign)
    make_pool(campaign)
    long = math("110", "+".join(f"x_{{{n}}}^{{{n}}}" for n in range(60)))
    campaign.collection.posts.filter(post_id="11").update(body=f"<p>{long}</p>")
    sign_in(page, people.olga)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(reverse("pool_topic", args=[campaign.slug, "B.1"]))
    page.wait_for_selector("[data-typeset=done]")
    formula = page.locator(".formula .math-container").first
    assert minimum < formula.evaluate("element => element.clientWidth") < width
    assert "gradient" in formula.evaluate("element => getComputedStyle(element).backgroundImage")  # it continues
    right = "element => element.getBoundingClientRect().right"
    formula.evaluate("element => element.scrollLeft = element.scrollWidth")
    assert formula.locator("svg").first.evaluate(right) <= formula.evaluate(right) + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_page_has_an_icon(page: Page) -> None:
    page.goto(reverse("login"))
    address = page.locator("link[rel=icon]").get_attribute("href")
    assert page.request.get(address).headers["content-type"] == "image/svg+xml"
