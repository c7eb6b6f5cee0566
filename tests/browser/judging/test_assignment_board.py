"""Dragging topics to assessors on the assignment board."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from assess.models import Assignment, Member
from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.pages import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_topics_are_dragged_into_columns(page: Page, sign_in: SignIn) -> None:
    campaign = make_campaign(topics=3)
    people = make_cast(campaign)
    make_assignment(make_pool(campaign), people.ada, topic="A.3")
    Member.objects.filter(campaign=campaign, user=people.ada).update(own_topics=["A.2"])
    sign_in(page, people.olga)
    page.goto(reverse("assignment_board", args=[campaign.slug]))
    board = page.get_by_role("table")
    first, second = (board.get_by_role("rowheader", name=topic) for topic in ("A.1", "A.2"))
    ada, emmy = (board.get_by_role("columnheader", name=name) for name in ("ada", "emmy"))

    first.drag_to(emmy)
    expect(board.get_by_role("radio", name="A.1: emmy")).to_be_checked()
    expect(emmy).to_contain_text("4")
    first.drag_to(board.get_by_role("row", name="A.3").get_by_role("cell", name="main"))  # any row of ada's column
    expect(board.get_by_role("radio", name="A.1: ada")).to_be_checked()
    expect(ada).to_contain_text("8")
    second.drag_to(ada)  # a conflict of interest
    expect(board.get_by_role("radio", name="A.2: nobody")).to_be_checked()

    page.get_by_role("button", name="Assign").click()
    page.wait_for_url("**/assignments/")
    given = Assignment.objects.values_list("topic__topic_id", "assessor__username")
    assert set(given) == {("A.3", "ada"), ("A.1", "ada")}
