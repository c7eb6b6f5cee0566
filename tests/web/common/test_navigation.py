"""The menu of a campaign: groups of pages, by role."""

import re

import pytest
from django.test import Client

from assess.models import Campaign
from assess.web.common.navigation import GROUPS
from tests.cast import Cast, make_campaign, make_cast
from tests.lab import client_as, client_of
from tests.web.organizer import url_of

pytestmark = pytest.mark.django_db


def menu(client: Client, address: str) -> str:
    page = client.get(address).content.decode()
    return page[page.index('<nav class="sections"') : page.index("</nav>")]


def addresses(text: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', text)


@pytest.mark.parametrize("preset", ["arqmath3-task1", "arqmath3-task2"])
def test_every_link_of_the_menu_opens_a_page_that_is_current_in_its_group(preset: str) -> None:
    campaign = make_campaign(preset)
    client = client_of(make_cast(campaign).olga)
    links = addresses(menu(client, campaign.get_absolute_url()))
    assert len(set(links)) > 10
    for address in set(links):
        assert client.get(address).status_code == 200
        current = re.findall(r'href="([^"]+)" aria-current="(\w+)"', menu(client, address))
        assert current[-1] == (address, "page")
        assert [kind for _, kind in current] in (["page"], ["true", "page"])


@pytest.mark.parametrize(
    ("person", "groups"),
    [
        ("olga", ["Overview", "Set-up", "People", "Judging", "Results"]),
        ("kurt", ["Overview", "Topics", "People", "Judging", "Results"]),  # a group of one page is that page
        ("ada", ["Overview", "Guidelines"]),
    ],
)
def test_everybody_sees_the_pages_of_their_role(person: str, groups: list[str], campaign: Campaign, cast: Cast) -> None:
    client = client_as(cast, person)
    shown = menu(client, campaign.get_absolute_url())
    assert re.findall(r"<li><a [^>]+>([\w-]+)\s*</a>\n", shown) == groups
    assert all(client.get(address).status_code == 200 for address in addresses(shown))


def test_no_page_is_in_two_groups() -> None:
    names = [page for _, pages in GROUPS for page in pages]
    assert len(names) == len(set(names))


def test_people_without_a_role_see_no_menu(campaign: Campaign, cast: Cast) -> None:
    assert b'href="/c/' not in client_as(cast, "mallory").get(url_of("topics", campaign)).content
