"""Organizers' pages in narrow windows, by keys, and while the server or others are at work."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from assess.models import Assignment, Campaign, Job
from benchmarks.parts import address_of
from tests import cast
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, math
from tests.lab import judge, make_lab
from tests.pages import NewPage, SignIn
from tests.web.organizer import make_run, url_of


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("arqmath3-task2", "Formulas")
    campaign.topics.update(latex="+".join(f"x_{{{n}}}" for n in range(60)))
    make_run(campaign, name="Team-task2-a_run_with_a_long_name-auto-both-P")
    return campaign


def test_tables_scroll_while_run_names_stay_in_view_and_a_button_shows_that_its_form_is_on_its_way(
    campaign: Campaign, new_page: NewPage, sign_in: SignIn
) -> None:
    page = new_page(width=400)
    sign_in(page, make_cast(campaign).olga)
    make_pool(campaign, frozen=False)
    for name in ("pool", "runs"):
        page.goto(reverse(name, args=[campaign.slug]))
        page.wait_for_selector("html[data-typeset=done]")
        assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.locator(".scroll:visible").evaluate("box => box.scrollTo(10_000, 0)")
    expect(page.locator("table.runs tbody th")).to_be_in_viewport(ratio=0.95)
    expect(page.locator("table.runs tbody td").last).to_be_in_viewport(ratio=1)
    row, values = (page.locator(f"table.runs tbody {cell}").last.bounding_box() for cell in ("th", "td"))
    assert row["x"] + row["width"] <= values["x"]
    page.goto(reverse("pool", args=[campaign.slug]))
    page.wait_for_selector("html[data-typeset=done]")
    page.route("**/pool/freeze/", lambda route: route.fulfill(status=204))  # no page follows
    page.get_by_label("Freeze anyway").check()
    page.get_by_role("button", name="Freeze").click()
    expect(page.locator("[aria-busy=true]")).to_have_text("Freeze")


def test_a_slow_result_of_a_job_is_asked_for_once(campaign: Campaign, page: Page, sign_in: SignIn) -> None:
    olga = make_cast(campaign).olga
    job = Job.objects.create(
        campaign=campaign, kind="runs", params={"files": []}, created_by=olga, state=Job.State.RUNNING
    )
    sign_in(page, olga)
    asked: list[str] = []
    page.goto(f"{job.get_absolute_url()}?fresh")
    page.route("**/?fresh", lambda route: asked.append(route.request.url))  # no answer yet
    Job.objects.update(state=Job.State.DONE)
    page.wait_for_timeout(1000)  # three times as long as the page waits between two questions
    assert len(asked) == 1


def test_a_long_formula_in_a_pool_scrolls_to_its_end(page: Page, sign_in: SignIn) -> None:
    campaign = make_campaign("arqmath3-task2")
    people = make_cast(campaign)
    make_pool(campaign)
    long = math("110", "+".join(f"x_{{{n}}}^{{{n}}}" for n in range(60)))
    campaign.collection.posts.filter(post_id="11").update(body=f"<p>{long}</p>")
    sign_in(page, people.olga)
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(url_of("pool_topic", campaign, topic_id="B.1"))
    page.wait_for_selector("[data-typeset=done]")
    formula = page.locator(".formula .math-container").first
    assert 150 < formula.evaluate("element => element.clientWidth") < 400
    assert "gradient" in formula.evaluate("element => getComputedStyle(element).backgroundImage")  # it continues
    right = "element => element.getBoundingClientRect().right"
    formula.evaluate("element => element.scrollLeft = element.scrollWidth")
    assert formula.locator("svg").first.evaluate(right) <= formula.evaluate(right) + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_keys_move_between_disagreements(tmp_path: Path, new_page: NewPage, sign_in: SignIn) -> None:
    lab = make_lab(tmp_path)
    page = new_page(width=400)
    sign_in(page, lab.cast.olga)
    page.goto(reverse("disagreements", args=[lab.campaign.slug]))
    entries = page.get_by_role("article")
    assert entries.count() == 2
    for key, at in (("j", 0), ("j", 1), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        assert entries.nth(at).evaluate("entry => entry === document.activeElement"), key
    page.get_by_role("combobox", name="Topic").focus()
    page.keyboard.press("j")
    assert page.get_by_role("combobox", name="Topic").evaluate("field => field === document.activeElement")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_the_heads_add_up_what_is_chosen_by_keys(page: Page, sign_in: SignIn) -> None:
    campaign = make_campaign(topics=3)
    people = make_cast(campaign)
    make_assignment(make_pool(campaign), people.ada, topic="A.3")
    sign_in(page, people.olga)
    page.goto(address_of("board", slug=campaign.slug))
    ada = page.get_by_role("columnheader", name="ada")
    expect(ada).to_contain_text("4")
    page.get_by_role("radio", name="A.1: nobody").press("ArrowRight")
    expect(ada).to_contain_text("8")
    page.get_by_role("button", name="Assign").click()
    page.wait_for_url("**/assignments/")
    assert Assignment.objects.filter(topic__topic_id="A.1", assessor=people.ada).exists()


def test_the_board_follows_the_judgments(new_page: NewPage, sign_in: SignIn) -> None:
    campaign = make_campaign()
    people = make_cast(campaign)
    assignment = make_assignment(make_pool(campaign), people.ada)
    sign_in(page := new_page(clock=True), people.olga)
    page.goto(reverse("progress", args=[campaign.slug]))
    board = page.get_by_role("table", name="Judged of all answers")
    expect(board.get_by_role("cell", name="0 of 4")).to_be_visible()
    board.get_by_role("link", name="A.1").focus()
    judge(assignment, {"11": "3"})
    page.clock.run_for(21_000)
    expect(board.get_by_role("cell", name="1 of 4")).to_be_visible()
    expect(board.get_by_role("link", name="A.1")).to_be_focused()


@pytest.mark.parametrize("has_scripts", [True, False])
def test_every_page_is_two_clicks_or_keys_away_and_on_a_narrow_screen_the_header_takes_one_line(
    has_scripts: bool, new_page: NewPage, sign_in: SignIn
) -> None:
    campaign = cast.make_campaign(name="A campaign whose name is longer than any narrow screen shows")
    page = new_page(width=400, java_script_enabled=has_scripts)
    sign_in(page, cast.make_cast(campaign).olga)
    page.goto(campaign.get_absolute_url())
    assert page.locator("header.top").bounding_box()["height"] < 60
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    members = page.get_by_role("link", name="Members").first
    expect(page.locator("nav.sections")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(page.locator("nav.sections")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("nav.sections")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.locator("nav.sections").get_by_role("link", name="Members").click()
    expect(page.get_by_role("heading", name="Members", level=1)).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(members).to_be_visible()
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()
    page.goto(campaign.get_absolute_url())
    menu = page.get_by_role("navigation", name="Campaign")
    expect(menu.get_by_role("link")).to_have_text(["Overview", "Set-up", "People", "Judging", "Results", "Settings"])
    menu.get_by_role("link", name="Judging").press("Enter")
    menu.get_by_role("link", name="Agreement").press("Enter")
    expect(page.get_by_role("heading", name="Agreement")).to_be_visible()
    address = page.locator("link[rel=icon]").get_attribute("href")
    assert page.request.get(address).headers["content-type"] == "image/svg+xml"
