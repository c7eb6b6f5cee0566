"""Pages with long posts of the real collection: axe finds nothing on any, wide and light or narrow and dark."""

import os
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page

from assess.ir.collection.html import canonical, canonical_inline
from assess.ir.formats.posts import iter_posts
from assess.models import Instance, Post
from assess.services.pool import freezing
from benchmarks import campaign as real_campaign
from tests.browser.axe import LOOKS, violations_in
from tests.cast import on_progress
from tests.pages import SignIn
from tests.real import data_file
from tests.web.site import Site, make_site

LONG = 5_000
"""Characters: one post in twenty is longer."""
ORGANIZERS = """
    campaign campaign_edit settings_desk topics topic topic_thread collection thread runs run pool pool_report
    pool_topic pool_plan judgment_sources guidelines members assignments board progress
    document_history rounds round questions outcomes agreement agreement_report agreement_pair
    disagreements releases release releases_compare topic_set statistics results evaluation_run
    evaluation_significance evaluation_pair reliability reliability_report what_if history jobs
"""
ASSESSORS = "home judge assignment guidelines thread account handbook"
Look = Callable[..., dict[str, Any]]


@pytest.fixture
def look(page: Page, sign_in: SignIn) -> Look:
    """Opens pages as a user, in both looks or some; returns the violations of those that have any."""

    def violations(user: User, addresses: list[str], looks: Any = LOOKS) -> dict[str, Any]:
        sign_in(page, user)
        found = {}
        for address in addresses:
            response = page.goto(address)
            assert response
            assert response.ok, address
            page.wait_for_selector("html[data-typeset=done]", state="attached")
            found[address] = violations_in(page, looks)
        return {address: problems for address, problems in found.items() if problems}

    return violations


@pytest.fixture
def real_site(db: None) -> Site:
    """Every topic has a long question of the collection, and every answer a long text of it."""
    site = make_site()
    with data_file("posts/Posts.xml").open("rb") as source:
        posts = [row for row in iter_posts(source, "Posts.xml") if len(row.body) < LONG]
    rows = sorted(posts, key=lambda row: -len(row.body))
    question = next(row for row in rows if row.kind == "question")
    answers = [row for row in rows if row.kind == "answer"]
    for post, row in zip(Post.objects.filter(kind="answer"), answers, strict=False):
        Post.objects.filter(pk=post.pk).update(body=canonical(row.body))
    site.answers.topics.update(title=canonical_inline(question.title), body=canonical(question.body))
    freezing.seal_all(site.answers, Instance.objects.filter(entry__pool=site.answers.frozen_pool()), on_progress)
    return site


def test_axe_finds_nothing_on_pages_of_organizers(real_site: Site, look: Look) -> None:
    """Every second page in each look; with --all, every page in both."""
    pages = [real_site.url(name) for name in ORGANIZERS.split()]
    step = 1 if "ASSESS_EVERY_STEP" in os.environ else 2
    for first, one in enumerate(LOOKS):
        assert look(real_site.cast.olga, pages[first * (step - 1) :: step], [one]) == {}


def test_axe_finds_nothing_on_pages_of_assessors(real_site: Site, look: Look) -> None:
    assert look(real_site.cast.ada, [real_site.url(name) for name in ASSESSORS.split()]) == {}


def test_axe_finds_nothing_at_the_desk_for_real_formulas(db: None, look: Look) -> None:
    data_file("formula-index/formulas.v3.tsv")
    (assignment,) = real_campaign.make(1, 3, 1, are_formulas=True)
    pages = [reverse("judge", args=[assignment.pk, 2]), reverse("assignment", args=[assignment.pk])]
    assert look(assignment.assessor, pages) == {}
