"""Choosing assessors on the assignment board."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from assess.models import Assignment
from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.pages import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_heads_add_up_what_is_chosen_by_keys(page: Page, sign_in: SignIn) -> None:
    campaign = make_campaign(topics=3)
    people = make_cast(campaign)
    make_assignment(make_pool(campaign), people.ada, topic="A.3")
    sign_in(page, people.olga)
    page.goto(reverse("assignment_board", args=[campaign.slug]))
    ada = page.get_by_role("columnheader", name="ada")
    expect(ada).to_contain_text("4")
    page.get_by_role("radio", name="A.1: nobody").press("ArrowRight")
    expect(ada).to_contain_text("8")
    page.get_by_role("button", name="Assign").click()
    page.wait_for_url("**/assignments/")
    assert Assignment.objects.filter(topic__topic_id="A.1", assessor=people.ada).exists()
