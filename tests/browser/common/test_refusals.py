"""A refused form says in sight what is wrong, and keeps its fields and files."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from assess.models import Campaign, Job
from tests.cast import make_campaign, make_cast, make_pool
from tests.pages import SignIn

RUN = "A.1\t11\t1\t0.5\trun\n"


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign("arqmath1-task1", "Answers")


@pytest.mark.problems_expected
def test_an_import_that_is_refused_or_has_no_server_keeps_its_files_and_goes_to_the_field(
    campaign: Campaign, page: Page, sign_in: SignIn, tmp_path: Path
) -> None:
    (tmp_path / "run.tsv").write_text(RUN)
    sign_in(page, make_cast(campaign).olga)
    page.goto(reverse("runs", args=[campaign.slug]))
    page.get_by_label("Run files").set_input_files(tmp_path / "run.tsv")
    page.get_by_label("Method").select_option("manual")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Enter the team, or choose a table")).to_be_in_viewport()
    expect(page.get_by_label("Team")).to_be_focused()
    expect(page.get_by_label("Method")).to_have_value("manual")
    page.keyboard.type("Erlangen")
    page.route("**/runs/", lambda route: route.abort())
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Your files are still chosen")).to_be_in_viewport()
    page.unroute("**/runs/")
    page.get_by_role("button", name="Import").click()
    page.wait_for_url("**/jobs/*/*")
    assert Job.objects.get().params["files"][0]["meta"]["method"] == "manual"


@pytest.mark.problems_expected
def test_several_runs_are_described_in_a_table_on_the_page(
    campaign: Campaign, page: Page, sign_in: SignIn, tmp_path: Path
) -> None:
    files = [tmp_path / "one.tsv", tmp_path / "two.tsv"]
    for file in files:
        file.write_text(RUN)
    sign_in(page, make_cast(campaign).olga)
    page.goto(reverse("runs", args=[campaign.slug]))
    page.get_by_label("Run files").set_input_files(files)
    page.get_by_label("Team: one.tsv").fill("Erlangen")
    page.get_by_label("Team: two.tsv").fill("\t")  # as if by a script: browsers refuse an empty one
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("runs.tsv:3")).to_be_in_viewport()
    page.get_by_label("Team: two.tsv").fill("Göttingen")
    page.get_by_label("Kind: two.tsv").select_option("baseline")
    page.get_by_role("button", name="Import").click()
    page.wait_for_url("**/jobs/*/*")
    said = [each["meta"] for each in Job.objects.get().params["files"]]
    assert [(run["file"], run["team"], run["kind"]) for run in said] == [
        ("one.tsv", "Erlangen", "primary"),
        ("two.tsv", "Göttingen", "baseline"),
    ]


def test_a_refused_action_is_in_sight_after_the_page_comes_back(
    campaign: Campaign, page: Page, sign_in: SignIn
) -> None:
    sign_in(page, make_cast(campaign).olga)
    page.goto(reverse("topics", args=[campaign.slug]))
    page.get_by_role("button", name="Delete all").click()
    make_pool(campaign)
    page.get_by_role("button", name="Delete", exact=True).click()
    message = page.locator(".message.error")
    expect(message).to_be_in_viewport()
    expect(message).to_be_focused()
