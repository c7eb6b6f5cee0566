"""The pages of visual ids in a real browser: their tables in a narrow window, and the icon of every page."""

import pytest
from django.urls import reverse

from assess.services import formulas
from tests.cast import make_campaign, make_cast, tell
from tests.formulas import import_index
from tests.services.test_formulas import MIXED

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LATEX = r"\alpha_{1}+\beta_{2}+\gamma_{3}"


def test_in_a_narrow_window_the_rows_of_a_repair_stay_low(live_server, page, sign_in, tmp_path):
    campaign = make_campaign("arqmath2-task2")
    people = make_cast(campaign)
    import_index(campaign, tmp_path, *MIXED, ("320", "v1", LATEX))
    formulas.look_for_mixed(campaign.collection, people.olga, tell)
    sign_in(page, people.olga)
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(live_server.url + reverse("formula_repair", args=[campaign.slug, 2]))
    page.wait_for_selector("[data-typeset=done]")
    heights = page.evaluate("[...document.querySelectorAll('table.data tbody tr')].map(row => row.offsetHeight)")
    line = page.evaluate("parseFloat(getComputedStyle(document.querySelector('table.data td')).lineHeight)")
    assert len(heights) == 3
    assert max(heights) < 4 * line


def test_every_page_names_its_icon(live_server, page):
    page.goto(live_server.url + reverse("login"))
    address = page.locator("link[rel=icon]").get_attribute("href")
    assert page.request.get(live_server.url + address).headers["content-type"] == "image/svg+xml"
