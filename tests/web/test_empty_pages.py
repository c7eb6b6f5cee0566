"""Pages with nothing to show yet: they lead on, and offer nothing that cannot work."""

import pytest
from lxml import etree, html

from assess.models import Campaign
from tests.cast import Cast, make_assignment, make_campaign, make_cast, make_pool
from tests.lab import client_of, judge
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


@pytest.mark.parametrize(
    ("name", "leads_to"),
    [
        ("campaign", "judgment_sources"),
        ("runs", "topics"),
        ("baselines", "topics"),
        ("pool", "topics"),
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
    judge(make_assignment(pool, cast.ada), {"11": "1"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "3"})
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


def test_without_runs_only_a_late_run_extends_a_pool(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    assert "Preview" not in Page(cast, "pool_extend", campaign).buttons


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
