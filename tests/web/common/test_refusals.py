"""A form that was refused: the same status on every page, and in the API."""

import pytest
from django.urls import reverse

from assess.models import Campaign
from tests.cast import Cast
from tests.lab import client_of

pytestmark = pytest.mark.django_db

PAGES = ["campaign_edit", "members", "topics", "collection", "collection_images", "topic_threads", "runs"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_with_a_form_that_was_refused_answers_422(name: str, campaign: Campaign, cast: Cast) -> None:
    address = reverse(name, args=[campaign.slug])
    client = client_of(cast.olga)
    assert client.get(address).status_code == 200
    response = client.post(address, {"year": "x"})
    assert response.status_code == 422
    assert response.context["form"].errors


def test_a_refused_baseline_answers_422(campaign: Campaign, cast: Cast) -> None:
    sent = {"baseline": "tfidf", "name": ""}
    assert client_of(cast.olga).post(reverse("baselines", args=[campaign.slug]), sent).status_code == 422
