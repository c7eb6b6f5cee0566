"""The planner in a browser: the slider shows the cost at once, and the tables follow."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from assess.models import Campaign
from assess.services.pool import planning
from tests.cast import make_cast, on_progress
from tests.lab import make_shallow_campaign


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_shallow_campaign(tmp_path)
    make_cast(campaign)
    planning.compute(campaign, on_progress)
    return campaign


@pytest.fixture
def address(campaign: Campaign) -> str:
    return reverse("pool_plan", args=[campaign.slug])


def shown(page: Page, name: str) -> str:
    return str(page.locator(f"[data-show={name}]").inner_text())


def move(page: Page, depth: int) -> None:
    page.locator("[data-dial=primary]").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); }", depth
    )


def test_moving_the_slider_shows_the_cost_and_releasing_it_changes_the_tables(
    address: str, page: Page, sign_in: Callable[..., None]
) -> None:
    sign_in(page, make_cast().olga)
    page.goto(address)
    page.wait_for_selector("#plan-chart svg")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for beyond in ("500", ""):
        page.fill("#dials [name=primary]", beyond)
        assert shown(page, "units") == shown(page, "hours") == "–"
    page.fill("[name=seconds]", "3600")
    move(page, 3)
    costs = [shown(page, name) for name in ("units", "mean", "hours", "each")]
    assert costs == ["3", "3.0", "3.0", "1.0"]
    assert page.input_value("#dials [name=primary]") == page.input_value("#use [name=primary]") == "3"
    assert requests == []
    assert page.locator("#runs .failed").count() == 2
    page.fill("#dials [name=alternate]", "2")
    page.locator("[data-dial=primary]").dispatch_event("change")
    page.wait_for_url("**primary=3&alternate=2**")
    page.wait_for_function("() => !document.querySelector('#runs .failed')")
    page.click("#use button")
    page.wait_for_selector(".message.success")
    assert "3 and 2" in page.locator("#use").inner_text()


def test_the_curves_have_a_color_for_each_dial_and_fit_a_phone(
    address: str, new_page: Callable[..., Page], sign_in: Callable[..., None]
) -> None:
    page = new_page(width=400)
    sign_in(page, make_cast().olga)
    page.goto(address)
    page.wait_for_selector("#plan-chart svg")
    lines = "lines => lines.map(line => getComputedStyle(line).stroke)"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colors = page.eval_on_selector_all("#plan-chart [aria-label=line] path", lines)
        assert len(colors) == 4  # two curves in two charts
        assert len(set(colors)) == 2
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_form_works_without_scripts(address: str, new_page: Callable[..., Page], sign_in: Callable[..., None]) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, make_cast().olga)
    page.goto(address)
    assert not page.locator("[data-dial=primary]").is_visible()
    assert not page.locator("#plan-chart").is_visible()
    page.fill("#dials [name=primary]", "3")
    page.click("text=Show")
    assert shown(page, "units") == "3"
    page.click("#use button")
    assert "3 and 1" in page.locator("#use").inner_text()
