"""The figures of the pages of statistics and reliability as files."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from assess.services.scores import reliability
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import judge, make_lab
from tests.pages import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_figure_can_be_saved(page: Page, sign_in: SignIn) -> None:
    campaign = make_campaign()
    people = make_cast(campaign)
    judge(make_assignment(make_pool(campaign), people.ada), {"11": "3", "12": "2"})
    sign_in(page, people.olga)
    page.goto(reverse("statistics", args=[campaign.slug]))
    for kind, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download {kind}").click()
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(begins)
        assert b"var(" not in content


def test_each_figure_of_reliability_can_be_saved(tmp_path: Path, page: Page, sign_in: SignIn) -> None:
    lab = make_lab(tmp_path)
    reliability.report_reliability(lab.evaluation, on_progress)
    sign_in(page, lab.cast.olga)
    page.goto(reverse("reliability", args=[lab.campaign.slug]))
    page.wait_for_selector("#places-chart svg")
    names = []
    for figure in page.locator("figure.chart:visible").all():
        with page.expect_download() as download:
            figure.get_by_role("button", name="Download SVG").click()
        assert Path(download.value.path()).read_bytes().startswith(b"<svg")
        names.append(download.value.suggested_filename)
    assert names == ["places-by-assessor.svg", "without-a-team.svg"]
