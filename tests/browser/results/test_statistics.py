"""The figure of the page of statistics as files."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.lab import judge
from tests.pages import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("kind", "begins"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_the_figure_can_be_saved(kind: str, begins: bytes, page: Page, sign_in: SignIn) -> None:
    campaign = make_campaign()
    people = make_cast(campaign)
    judge(make_assignment(make_pool(campaign), people.ada), {"11": "3", "12": "2"})
    sign_in(page, people.olga)
    page.goto(reverse("statistics", args=[campaign.slug]))
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Download {kind}").click()
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(begins)
    assert b"var(" not in content
