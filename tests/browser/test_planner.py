"""The planner in a real browser: the slider tells the cost at once, the tables follow."""

import pytest
from django.urls import reverse

from assess.services.pool import planning
from tests.cast import make_cast, on_progress
from tests.lab import make_shallow_campaign

# Nothing here depends on the database, so one engine does.
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def campaign(tmp_path):
    campaign = make_shallow_campaign(tmp_path)
    make_cast(campaign)
    planning.compute(campaign, on_progress)
    return campaign


@pytest.fixture
def address(campaign, live_server):
    return live_server.url + reverse("pool_plan", args=[campaign.slug])


def shown(page, name):
    return page.locator(f"[data-show={name}]").inner_text()


def move(page, depth):
    page.locator("[data-dial=primary]").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); }", depth
    )


def test_the_slider_tells_units_and_hours_without_asking_the_server(address, page, sign_in):
    sign_in(page, make_cast().olga)
    page.goto(address)
    page.wait_for_selector("#plan-chart svg")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.fill("[name=seconds]", "3600")
    move(page, 3)
    assert (shown(page, "units"), shown(page, "mean"), shown(page, "hours"), shown(page, "each")) == (
        "3",
        "1.5",
        "3.0",
        "1.0",
    )
    assert page.input_value("#dials [name=primary]") == page.input_value("#use [name=primary]") == "3"
    assert requests == []


def test_the_tables_and_the_address_follow_when_the_slider_rests(address, page, sign_in):
    sign_in(page, make_cast().olga)
    page.goto(address)
    assert page.locator("#runs .failed").count() == 2
    page.fill("#dials [name=alternate]", "2")
    move(page, 3)
    page.locator("[data-dial=primary]").dispatch_event("change")
    page.wait_for_url("**primary=3&alternate=2**")
    page.wait_for_function("() => !document.querySelector('#runs .failed')")
    page.click("text=Use these depths")
    page.wait_for_selector(".message.success")
    assert "The protocol has 3 and 2 now" in page.locator("#use").inner_text()


def test_a_number_that_is_not_planned_has_no_cost(address, page, sign_in):
    sign_in(page, make_cast().olga)
    page.goto(address)
    page.fill("#dials [name=primary]", "500")
    assert shown(page, "units") == shown(page, "hours") == "–"
    page.fill("#dials [name=primary]", "")
    assert shown(page, "units") == "–"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_curves_have_a_colour_for_each_dial_and_fit_a_telephone(scheme, address, new_page, sign_in):
    page = new_page(viewport={"width": 400, "height": 800}, color_scheme=scheme)
    sign_in(page, make_cast().olga)
    page.goto(address)
    page.wait_for_selector("#plan-chart svg")
    lines = "lines => lines.map(line => getComputedStyle(line).stroke)"
    colours = page.eval_on_selector_all("#plan-chart [aria-label=line] path", lines)
    assert len(colours) == 4  # two curves in two charts
    assert len(set(colours)) == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_without_scripts_the_form_asks_for_the_same(address, new_page, sign_in):
    page = new_page(java_script_enabled=False)
    sign_in(page, make_cast().olga)
    page.goto(address)
    assert not page.locator("[data-dial=primary]").is_visible()
    assert not page.locator("#plan-chart").is_visible()
    page.fill("#dials [name=primary]", "3")
    page.click("text=Show")
    assert shown(page, "units") == "3"
    page.click("text=Use these depths")
    assert "The protocol has 3 and 1 now" in page.locator("#use").inner_text()
