"""The menu of a campaign: groups of pages, by role."""

import re

import pytest
from django.test import Client

from assess.models import Campaign, Question
from assess.web.common.navigation import GROUPS, TABS
from tests.cast import Cast, make_campaign, make_cast, make_pool
from tests.lab import client_as, client_of
from tests.web.organizer import url_of

pytestmark = pytest.mark.django_db


def menu(client: Client, address: str) -> str:
    page = client.get(address).content.decode()
    return page[page.index('<nav class="sections"') : page.index("</nav>")]


def addresses(text: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', text)


def test_every_link_of_the_menu_opens_a_page_that_is_current_in_its_group() -> None:
    campaign = make_campaign("arqmath3-task2")
    client = client_of(make_cast(campaign).olga)
    links = addresses(menu(client, campaign.get_absolute_url()))
    assert len(set(links)) > 10
    for address in set(links):
        assert client.get(address).status_code == 200
        current = re.findall(r'href="([^"]+)" aria-current="(\w+)"', menu(client, address))
        assert current[-1][0] == address
        assert [kind for _, kind in current] in (["page"], ["true", "page"])


@pytest.mark.parametrize(
    ("person", "groups"),
    [
        ("olga", ["Overview", "Set-up", "People", "Judging", "Results", "Settings"]),
        ("kurt", ["Overview", "Set-up", "Judging", "Results"]),
        ("ada", ["Overview", "Guidelines"]),
    ],
)
def test_everybody_sees_the_pages_of_their_role(person: str, groups: list[str], campaign: Campaign, cast: Cast) -> None:
    assert b'href="/c/' not in client_as(cast, "mallory").get(url_of("topics", campaign)).content
    client = client_as(cast, person)
    shown = menu(client, campaign.get_absolute_url())
    assert re.findall(r"<li><a [^>]+>([\w-]+)\s*</a>\n", shown) == groups
    assert all(client.get(address).status_code == 200 for address in addresses(shown))


def test_tabs_lead_to_the_pages_that_share_an_entry(campaign: Campaign, cast: Cast) -> None:
    olga = client_as(cast, "olga")
    assert olga.get(url_of("board", campaign)).headers["Location"] == url_of("assignments", campaign)
    make_pool(campaign)
    for entry, pages in TABS.items():
        shown = [page for page in pages if page != "formulas"]  # the campaign judges answers
        for page in shown:
            text = olga.get(url_of(page, campaign)).content.decode()
            tabs = text.partition('<nav class="tabs"')[2].partition("</nav>")[0]
            found = re.findall(r'href="([^"]+)"( aria-current="page")?', tabs)
            wanted = [(url_of(each, campaign), ' aria-current="page"' * (each == page)) for each in shown]
            assert found == (wanted if len(wanted) > 1 else []), (entry, page)
            assert f'href="{url_of(shown[0], campaign)}" aria-current="page"' in menu(olga, url_of(page, campaign))


def test_open_questions_are_counted_at_their_entry_only(campaign: Campaign, cast: Cast) -> None:
    Question.objects.create(topic=campaign.topics.all()[0], by=cast.ada, text="And this?")
    shown = menu(client_as(cast, "olga"), campaign.get_absolute_url())
    assert len(re.findall(r"badge", shown)) == 2, "at the entry and at its group"


def test_no_page_is_in_two_places() -> None:
    entries = [entry for _, pages in GROUPS for entry in pages]
    names = [page for entry in entries for page in TABS.get(entry, [entry])]
    assert len(names) == len(set(names))
    assert len(entries) <= 16
