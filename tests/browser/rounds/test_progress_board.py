"""The page of progress follows what is judged while it is looked at."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.lab import judge
from tests.pages import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_board_follows_the_judgments(page: Page, sign_in: SignIn) -> None:
    campaign = make_campaign()
    people = make_cast(campaign)
    assignment = make_assignment(make_pool(campaign), people.ada)
    sign_in(page, people.olga)
    page.clock.install()
    page.goto(reverse("progress", args=[campaign.slug]))
    board = page.get_by_role("table", name="Judged of all answers")
    expect(board.get_by_role("cell", name="0 of 4")).to_be_visible()
    board.get_by_role("link", name="A.1").focus()
    judge(assignment, {"11": "3"})
    page.clock.run_for(21_000)
    expect(board.get_by_role("cell", name="1 of 4")).to_be_visible()
    expect(board.get_by_role("link", name="A.1")).to_be_focused()
