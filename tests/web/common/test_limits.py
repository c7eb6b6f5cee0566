"""Limits on what people send, named on the forms, and the status of a form that was refused."""

import io
import zipfile
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.forms import ValidationError
from django.test import Client
from pytest_django import Settings

from assess.models import Campaign
from assess.web.common.forms import RowsField
from tests.cast import Cast, make_campaign, make_cast
from tests.lab import client_of
from tests.web.organizer import url_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("page", "forms"), [("collection", 1), ("topics", 2), ("runs", 1), ("topic_threads", 1), ("collection_images", 1)]
)
def test_the_limit_of_uploads_is_named_once_on_each_form_and_kept(page: str, forms: int, settings: Settings) -> None:
    settings.UPLOAD_LIMIT = 3_000_000
    campaign = make_campaign()
    client, address = client_of(make_cast().olga), url_of(page, campaign)
    assert client.get(address).content.decode().count("At most 3\N{NO-BREAK SPACE}MB") == forms
    answer = client.post(address, {"file": SimpleUploadedFile("large", bytes(3_000_000))})
    assert answer.status_code == 413
    assert "at most 3\N{NO-BREAK SPACE}MB at once" in answer.content.decode()


def test_without_a_session_a_large_body_is_refused_unread() -> None:
    """Even with a cookie and a token of CSRF that go together, which anybody can make up, and an invented session."""
    make_campaign()
    client = Client(enforce_csrf_checks=True)
    secret = "a" * 32
    client.cookies.load({"csrftoken": secret, "sessionid": "b" * 32})
    data = {"csrfmiddlewaretoken": secret, "file": SimpleUploadedFile("large", bytes(1_000_000))}
    with patch.object(TemporaryFileUploadHandler, "new_file") as stored:
        answer = client.post("/login/", data)
        assert (answer.status_code, stored.called) == (413, False)
        assert client.post("/login/", data | {"file": SimpleUploadedFile("small", bytes(900_000))}).status_code == 200
    assert "1\N{NO-BREAK SPACE}MB at once" in answer.content.decode()


def test_what_an_archive_unpacks_to_is_limited_and_gigabytes_have_the_unit_of_their_setting(settings: Settings) -> None:
    settings.UPLOAD_LIMIT, settings.UNPACK_LIMIT = 20_000_000_000, 1_000_000
    campaign, packed = make_campaign(), io.BytesIO()
    client = client_of(make_cast().olga)
    assert "At most 20,000\N{NO-BREAK SPACE}MB" in client.get(url_of("collection", campaign)).content.decode()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.png", bytes(2_000_000))
    data = {"images": SimpleUploadedFile("pictures.zip", packed.getvalue())}
    page = client.post(url_of("collection_images", campaign), data)
    assert (page.status_code, "holds more than 1 MB" in page.content.decode()) == (422, True)


PAGES = ["campaign_edit", "members", "topics", "collection", "collection_images", "topic_threads", "runs"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_with_a_form_that_was_refused_answers_422(name: str, campaign: Campaign, cast: Cast) -> None:
    address = url_of(name, campaign)
    client = client_of(cast.olga)
    assert client.get(address).status_code == 200
    response = client.post(address, {"year": "x"})
    assert response.status_code == 422
    assert response.context["form"].errors


@pytest.mark.parametrize("key", [2**63, 10**400, -1, "none"])
def test_keys_that_no_row_can_have_are_refused(key: object, campaign: Campaign) -> None:
    assert list(RowsField(Campaign.objects.all()).clean([str(campaign.pk)])) == [campaign]
    with pytest.raises(ValidationError):
        RowsField(Campaign.objects.all()).clean([str(campaign.pk), str(key)])
