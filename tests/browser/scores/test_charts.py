"""The charts of all pages, on the screen and as files."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from assess.models import Evaluation
from assess.services.agreement import agreement
from assess.services.scores import reliability
from benchmarks.parts import address_of
from tests.browser.axe import LOOKS
from tests.cast import make_assignment, on_progress
from tests.evaluations import add_profile, make_evaluation
from tests.lab import Lab, judge
from tests.pages import NewPage, SignIn

FILLS = "bars => bars.map(bar => getComputedStyle(bar).fill)"
"""The colours of bars as painted."""


def test_each_assessor_has_a_grey_and_a_black_bar_and_a_square_of_two_opens_their_documents(
    lab: Lab, page: Page, sign_in: SignIn
) -> None:
    sign_in(page, lab.cast.kurt)
    for width, scheme in reversed(LOOKS):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(reverse("agreement", args=[lab.campaign.slug]))
        page.wait_for_selector("#agreement-chart svg")
        assert page.locator("#agreement-chart .key").all_inner_texts() == ["4-way", "H+M"]
        colours = page.eval_on_selector_all("#agreement-chart svg rect", FILLS)
        assert len(colours) == 4  # ada and emmy, two kappas each
        assert len(set(colours)) == 2
        background = page.evaluate("getComputedStyle(document.body.parentElement).backgroundColor")
        assert background not in colours
        labels = page.locator("#agreement-chart svg").text_content()
        assert "0.40" in labels
        assert "ada" in labels
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    judge(make_assignment(lab.pool, lab.cast.kurt, kind="dual"), {"11": "3", "12": "1", "21": "2"})
    report = agreement.report(lab.pool, on_progress)
    sign_in(page, lab.cast.olga)
    page.goto(reverse("agreement", args=[lab.campaign.slug]))
    page.locator("#pairs-chart svg text").filter(has_text="0.40").first.click()
    page.get_by_role("heading", name="Disagreements").wait_for()
    assert page.get_by_role("article").count() == 3  # equal grades too
    page.goto(address_of("agreement_pair", slug=lab.campaign.slug, pk=report.pk, first="ada", second="emmy"))
    page.wait_for_selector("figure.confusion svg")
    links = page.locator("figure.confusion svg a").evaluate_all(
        "links => links.filter(link => link.getAttribute('href'))"
    )
    assert len(links) == 6  # a square and its number for each document


@pytest.fixture
def evaluation(lab: Lab) -> Evaluation:
    """Two runs by four topics."""
    values = {"alpha": dict(zip("ABCD", (0.9, 0.2, 0.5, 0.4), strict=True)), "beta": dict.fromkeys("ABCD", 0.4)}
    evaluation = make_evaluation(lab.campaign, values)
    add_profile(evaluation, "alpha", [(1, 1, 4, 4, 6), (2, 2, 4, 3, 3), (640, 1000, 40, 0, 0)])
    return evaluation


def test_a_run_is_drawn_beside_the_median_and_by_rank_and_two_as_sorted_differences_that_open_their_topics(
    lab: Lab, evaluation: Evaluation, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(width=400)
    sign_in(page, lab.cast.olga)
    run = lab.campaign.runs.get(name="alpha")
    page.goto(address_of("evaluation_run", slug=lab.campaign.slug, pk=evaluation.pk, run_pk=run.pk))
    page.wait_for_selector("#topics-chart svg")
    assert page.locator("#topics-chart svg circle").count() == 4
    labels = page.locator("#topics-chart svg [aria-label='x-axis tick label'] text").all_text_contents()
    assert labels == ["A", "C", "D", "B"]  # the run's best topics first
    assert page.locator("#judged-chart svg circle").count() == 3
    assert page.locator("#relevance-chart svg circle").count() == 2  # nothing is judged in the last band
    labels = page.locator("#relevance-chart svg [aria-label='x-axis tick label'] text").all_text_contents()
    assert labels == ["1", "10", "100", "1,000"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        fill = page.eval_on_selector("#topics-chart svg circle", "dot => getComputedStyle(dot).fill")
        assert fill != page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.goto(address_of("evaluation_pair", slug=lab.campaign.slug, pk=evaluation.pk))
    page.wait_for_selector("#pair-chart svg")
    colours = page.eval_on_selector_all("#pair-chart svg rect", FILLS)
    assert colours[0] == colours[1] != colours[3]
    links = page.eval_on_selector_all("#pair-chart svg a", "links => links.map(link => link.getAttribute('href'))")
    assert links[0] == address_of("pool_topic", slug=lab.campaign.slug, topic_id="A")
    page.goto(address_of("evaluation_significance", slug=lab.campaign.slug, pk=evaluation.pk))
    page.wait_for_selector("#significance-chart svg")
    assert "alpha" in page.locator("#significance-chart svg").text_content()


def test_figures_can_be_saved(lab: Lab, page: Page, sign_in: SignIn) -> None:
    reliability.report_reliability(lab.evaluation, on_progress)
    sign_in(page, lab.cast.olga)
    lab.campaign.topics.filter(topic_id="A.1").update(topic_id="301")  # numbers as names draw no warning into figures
    page.goto(address_of("statistics", slug=lab.campaign.slug))
    assert "301" in page.locator("#relevant-chart svg").inner_html()
    assert "⚠" not in page.locator("#relevant-chart").inner_html()
    for kind, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind).click()
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(begins)
        assert b"var(" not in content
    page.goto(reverse("reliability", args=[lab.campaign.slug]))
    page.wait_for_selector("#places-chart svg")
    names = []
    for figure in page.locator("figure.chart:visible").all():
        with page.expect_download() as download:
            figure.get_by_role("button", name="SVG").click()
        assert Path(download.value.path()).read_bytes().startswith(b"<svg")
        names.append(download.value.suggested_filename)
    assert names == ["places-by-assessor.svg", "without-a-team.svg"]
