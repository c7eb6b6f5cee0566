"""The chart of the agreement page, in a real browser."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from tests.lab import Lab, make_lab
from tests.pages import NewPage, SignIn


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return make_lab(tmp_path)


def fills(page: Page) -> list[str]:
    """The colours of the bars as painted."""
    return page.eval_on_selector_all("#agreement-chart svg rect", "bars => bars.map(bar => getComputedStyle(bar).fill)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_assessor_has_a_grey_and_a_black_bar(scheme: str, lab: Lab, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(color_scheme=scheme)
    sign_in(page, lab.cast.kurt)
    page.goto(reverse("agreement", args=[lab.campaign.slug]))
    page.wait_for_selector("#agreement-chart svg")
    assert page.locator("#agreement-chart .key").all_inner_texts() == ["4-way", "H+M"]
    colours = fills(page)
    assert len(colours) == 4  # ada and emmy, two kappas each
    assert len(set(colours)) == 2
    background = page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor")
    assert background not in colours
    labels = page.locator("#agreement-chart svg").text_content()
    assert "0.40" in labels
    assert "ada" in labels


def test_the_chart_fits_a_telephone(lab: Lab, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(width=400)
    sign_in(page, lab.cast.olga)
    page.goto(reverse("agreement", args=[lab.campaign.slug]))
    page.wait_for_selector("#agreement-chart svg")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_without_scripts_the_table_says_it_all(lab: Lab, new_page: NewPage, sign_in: SignIn) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, lab.cast.olga)
    page.goto(reverse("agreement", args=[lab.campaign.slug]))
    assert not page.locator("#agreement-chart").is_visible()
    assert "0.4000" in page.locator("#assessors").inner_text()
