"""Tokens: made and revoked on a page, shown once, and good for what their scope says."""

import re
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.models import ApiToken
from assess.services.campaign import accounts
from tests.cast import PASSWORD, Cast, make_campaign, make_cast
from tests.lab import client_of, make_lab

pytestmark = pytest.mark.django_db

FIELDS = {"name": "laptop", "scope": "judge", "days": "30", "password": PASSWORD}


def bearer(secret: str) -> Client:
    """A program without cookies. ``enforce_csrf_checks``: a token needs no other against forgery."""
    return Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {secret}"})


def secret_of(person: Any, scope: str = "read") -> str:
    return accounts.make_api_token(person, "laptop", scope, 30)[1]


def test_a_token_is_shown_once_and_stored_as_a_hash(cast: Cast) -> None:
    client, page = client_of(cast.ada), reverse("api_tokens")
    shown = client.post(page, FIELDS)
    [secret] = re.findall(r"assess_[\w-]{43}", shown.content.decode())
    assert secret not in client.get(page).content.decode()
    assert "no-store" in shown["Cache-Control"]
    kept = ApiToken.objects.get()
    assert (kept.digest, kept.scope, kept.user) == (sha256(secret.encode()).hexdigest(), "judge", cast.ada)
    assert timedelta(days=29) < kept.expires - timezone.now() <= timedelta(days=30)
    assert bearer(secret).get("/api/campaigns/").json()["count"] == 1


@pytest.mark.parametrize("change", [{"password": "wrong"}, {"password": ""}, {"days": "9999"}, {"scope": "all"}])
def test_making_one_needs_the_password_and_a_limit(change: dict[str, str], cast: Cast) -> None:
    assert client_of(cast.ada).post(reverse("api_tokens"), FIELDS | change).status_code == 422
    assert not ApiToken.objects.exists()


def test_the_page_says_when_a_token_was_used_last_and_revokes_it(cast: Cast) -> None:
    secret, client = secret_of(cast.ada), client_of(cast.ada)
    assert "—" in client.get(reverse("api_tokens")).content.decode()
    assert bearer(secret).get("/api/campaigns/").status_code == 200
    assert f"{timezone.now():%Y}, " in client.get(reverse("api_tokens")).content.decode()
    client.post(reverse("api_token_revoke", args=[ApiToken.objects.get().pk]))
    answer = bearer(secret).get("/api/campaigns/")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert "revoked" in answer.json()["detail"]


def test_without_a_valid_token_the_api_asks_for_one(cast: Cast) -> None:
    expired = secret_of(cast.ada)
    ApiToken.objects.update(expires=timezone.now())
    of_closed_account = secret_of(cast.emmy)
    User.objects.filter(pk=cast.emmy.pk).update(is_active=False)
    wrong = ["Bearer", "Bearer x", "Bearer a b", "Bearer é", "Basic YTpi"]
    for header in (*wrong, f"Bearer {expired}", f"Bearer {of_closed_account}"):
        answer = Client(headers={"Authorization": header}).get("/api/campaigns/")
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer"), header
    assert Client().get("/api/campaigns/").status_code == 401
    assert bearer(secret_of(cast.olga, "organize")).get("/").status_code == 302, "it opens no pages"


def test_a_scope_limits_what_a_token_changes(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    ways = [
        (lab.cast.ada, reverse("api-judgments", args=[lab.official.pk])),
        (lab.cast.olga, reverse("api-fuse", args=[lab.campaign.slug])),
    ]

    def statuses(scope: str) -> list[tuple[int, int]]:
        clients = [(bearer(secret_of(person, scope)), address) for person, address in ways]
        return [
            (client.get("/api/campaigns/").status_code, client.post(address, [], "application/json").status_code)
            for client, address in clients
        ]

    assert statuses("read") == [(200, 403), (200, 403)]
    assert statuses("judge") == [(200, 200), (200, 403)]
    assert statuses("organize") == [(200, 200), (200, 422)]


def test_large_files_need_a_valid_token() -> None:
    campaign = make_campaign()
    secret = secret_of(make_cast(campaign).olga, "organize")
    address = reverse("api-judgment-sources", args=[campaign.slug])

    def status(secret: str) -> int:
        return bearer(secret).post(address, {"file": SimpleUploadedFile("large", bytes(1_100_000))}).status_code

    assert (status(secret), status("assess_invented")) == (422, 413)
