"""Pages with nothing to show yet: they lead on, and offer nothing that cannot work."""

from pathlib import Path

import pytest
from lxml import etree, html

from assess.ir.results.release_options import ReleaseOptions
from assess.models import Campaign
from assess.services.pool import reports, source_pool
from assess.services.results import qrels
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import client_of, judge
from tests.sources import make_source, qrels_of
from tests.web.organizer import bare_campaign, text_of, url_of

pytestmark = pytest.mark.django_db


def words(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


class Page:
    """The main part of a page: where its links lead, the labels of its buttons, its headings."""

    def __init__(self, cast: Cast, name: str, campaign: Campaign, person: str = "olga", **arguments: object) -> None:
        text = text_of(client_of(getattr(cast, person)), name, campaign, **arguments)
        main = html.fromstring(text).find(".//main")
        assert main is not None
        self.text = words(main)
        self.links = [link.get("href") for link in main.iter("a")]
        self.buttons = {" ".join(words(button).split()) for button in main.iter("button")}
        self.headings = {words(heading) for heading in main.iter("h2")}


@pytest.fixture
def published(campaign: Campaign, cast: Cast, tmp_path: Path) -> Campaign:
    """Its pool was made from published qrels, without collection, runs and assessors."""
    source = make_source(campaign, tmp_path, qrels_of({"11": 3, "999": 2}), "official", "human")
    source_pool.make(campaign, source, cast.olga, on_progress)
    return campaign


@pytest.mark.parametrize(
    ("name", "leads_to"),
    [
        ("campaign", "judgment_sources"),
        ("runs", "topics"),
        ("baselines", "topics"),
        ("pool", "judgment_sources"),
        ("pool_plan", "topics"),
        ("outcomes", "pool"),
        ("disagreements", "pool"),
        ("written_report", "pool"),
        ("statistics", "topic_set"),
    ],
)
def test_an_empty_page_leads_on(name: str, leads_to: str, cast: Cast) -> None:
    campaign = bare_campaign("arqmath3-task1")
    assert url_of(leads_to, campaign) in Page(cast, name, campaign).links


def test_a_plan_lacks_only_what_is_missing(campaign: Campaign, cast: Cast) -> None:
    links = Page(cast, "pool_plan", campaign).links
    assert (url_of("runs", campaign) in links, url_of("topics", campaign) in links) == (True, False)


@pytest.mark.parametrize(
    ("name", "button"),
    [
        ("agreement", "Compute agreement"),
        ("releases", "Release"),
        ("disagreements", "Show"),
        ("rounds", "Assign"),
    ],
)
def test_before_the_first_judgment_nothing_is_offered_that_needs_one(
    name: str, button: str, campaign: Campaign, cast: Cast
) -> None:
    pool = make_pool(campaign)
    assert button not in Page(cast, name, campaign).buttons
    for user in (cast.ada, cast.emmy):
        judge(make_assignment(pool, user, kind="main" if user == cast.ada else "dual"), {"11": "1"})
    assert button in Page(cast, name, campaign).buttons


def test_the_board_comes_with_the_first_assignment(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    assert "Board" not in Page(cast, "progress", campaign).headings
    make_assignment(pool, cast.ada)
    assert "Board" in Page(cast, "progress", campaign).headings


def test_only_one_of_several_organizers_can_go(campaign: Campaign, cast: Cast) -> None:
    member = campaign.members.get(user=cast.olga)
    remove = url_of("member_remove", campaign, pk=member.pk)
    assert remove not in Page(cast, "members", campaign).links
    campaign.members.filter(user=cast.kurt).update(role="organizer")
    assert remove in Page(cast, "members", campaign).links


def test_the_topic_set_has_the_columns_of_a_topic_sheet_only_with_one(campaign: Campaign, cast: Cast) -> None:
    assert "Difficulty" not in Page(cast, "topic_set", campaign).text
    campaign.topics.update(difficulty="easy")
    assert "Difficulty" in Page(cast, "topic_set", campaign).text


def test_a_pool_of_published_qrels_asks_for_no_judging(published: Campaign, cast: Cast) -> None:
    pool = Page(cast, "pool", published)
    assert "Depth" not in pool.text
    assert {url_of("releases", published), url_of("pool_missing", published, version=1)} <= set(pool.links)
    assert "Votes" not in Page(cast, "pool_missing", published, version=1).text
    progress = Page(cast, "progress", published)
    assert "official" in progress.text
    assert "%" not in progress.text
    pool_of = published.frozen_pool()
    assert pool_of
    make_assignment(pool_of, cast.ada)
    assert "%" in Page(cast, "progress", published).text
    assert "Judging is not complete" in Page(cast, "releases", published).text


def test_without_runs_only_a_late_run_extends_a_pool(published: Campaign, cast: Cast) -> None:
    assert "Preview" not in Page(cast, "pool_extend", published).buttons


def test_assessors_read_that_they_are_done() -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    assignment = make_assignment(make_pool(campaign), cast.ada)
    said = "You have judged all your topics."
    assert said not in Page(cast, "campaign", campaign, "ada").text
    documents = assignment.topic.entries.values_list("instances__doc_id", flat=True)
    judge(assignment, dict.fromkeys(documents, "1"))
    assert said in Page(cast, "campaign", campaign, "ada").text
    assert said in client_of(cast.ada).get("/").content.decode()


def test_published_qrels_without_runs_cannot_be_scored(published: Campaign, cast: Cast) -> None:
    pool = published.frozen_pool()
    assert pool
    qrels.release(pool, cast.olga, on_progress, ReleaseOptions(sources=("official",), min_relevant=0))
    scores = Page(cast, "results", published)
    assert (url_of("runs", published) in scores.links, "Evaluate" in scores.buttons) == (True, False)


def test_the_report_on_a_pool_of_published_qrels_checks_that_all_of_them_are_there(
    published: Campaign, cast: Cast
) -> None:
    pool = published.frozen_pool()
    assert pool
    reports.compute(pool, on_progress)
    page = Page(cast, "pool_report", published, version=1)
    assert "2 of 2" in page.text
    assert "failed" not in page.text
