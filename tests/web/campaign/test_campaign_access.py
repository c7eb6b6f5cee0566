"""Who may open which page of a campaign."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Campaign
from assess.services import job_kinds
from assess.services.jobs import job_queue
from tests.cast import Cast
from tests.lab import client_of
from tests.web.organizer import make_run

pytestmark = pytest.mark.django_db

ORGANIZERS_ONLY = {
    "campaign_edit": {},
    "members": {},
    "member": {"pk": "member"},
    "member_remove": {"pk": "member"},
    "topics_delete": {},
    "collection": {},
    "collection_images": {},
    "runs": {},
    "run": {"pk": "run"},
    "run_delete": {"pk": "run"},
    "job": {"pk": "job"},
    "job_progress": {"pk": "job"},
    "job_cancel": {"pk": "job"},
}
POST_ONLY = {"member", "job_cancel"}


@pytest.fixture
def address(campaign: Campaign, cast: Cast) -> Callable[[str], str]:
    """The address of a page about things that exist."""
    pks = {
        "member": campaign.members.get(user=cast.ada).pk,
        "run": make_run(campaign).pk,
        "job": job_queue.submit(campaign, job_kinds.build_pool, cast.olga).pk,
    }

    def build(name: str) -> str:
        arguments = {key: pks[value] for key, value in ORGANIZERS_ONLY[name].items()}
        return reverse(name, kwargs=arguments if name.startswith("job") else {"slug": campaign.slug, **arguments})

    return build


@pytest.mark.parametrize("name", ORGANIZERS_ONLY)
@pytest.mark.parametrize(
    ("person", "status"), [("olga", 200), ("mallory", 404), ("ada", 403), ("kurt", 403), (None, 302)]
)
def test_outsiders_open_no_pages(
    name: str, person: str, status: int, address: Callable[[str], str], cast: Cast
) -> None:
    client = client_of(getattr(cast, person)) if person else Client()
    for method in ("post",) if name in POST_ONLY else ("get",) if person == "olga" else ("get", "post"):
        response = getattr(client, method)(address(name))
        assert response.status_code == (302 if name in POST_ONLY and person == "olga" else status), method
        if not person:
            assert response.url.startswith(reverse("login"))


@pytest.mark.parametrize("name", sorted(POST_ONLY))
def test_actions_need_a_post(name: str, address: Callable[[str], str], cast: Cast) -> None:
    assert client_of(cast.olga).get(address(name)).status_code == 405


@pytest.mark.parametrize(("person", "status"), [("olga", 200), ("ada", 200), ("kurt", 200), ("mallory", 404)])
def test_every_member_sees_overview_and_topic(person: str, status: int, campaign: Campaign, cast: Cast) -> None:
    client = client_of(getattr(cast, person))
    assert client.get(reverse("campaign", args=[campaign.slug])).status_code == status
    assert client.get(reverse("topic", args=[campaign.slug, "A.1"])).status_code == status


@pytest.mark.parametrize(("person", "get", "post"), [("kurt", 200, 403), ("ada", 403, 403), ("mallory", 404, 404)])
def test_experts_read_topics_but_change_none(person: str, get: int, post: int, campaign: Campaign, cast: Cast) -> None:
    client, url = client_of(getattr(cast, person)), reverse("topics", args=[campaign.slug])
    assert (client.get(url).status_code, client.post(url).status_code) == (get, post)
    assert b'<form method="post" enctype' not in client.get(url).content


@pytest.mark.parametrize("name", ["campaign", "topics"])
def test_visitors_are_asked_to_sign_in(name: str, campaign: Campaign) -> None:
    assert Client().get(reverse(name, args=[campaign.slug]))["Location"].startswith(reverse("login"))
