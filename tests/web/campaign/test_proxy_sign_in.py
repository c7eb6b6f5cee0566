"""Signing in by the header of a proxy (USER_HEADER)."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, override_settings

from assess.models import Campaign
from assess.web.common import middleware
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """The settings that USER_HEADER=X-Remote-User leads to; a browser behind the proxy."""
    names = list(settings.MIDDLEWARE)
    names.insert(names.index("assess.web.common.middleware.PersonRequired"), "assess.web.common.middleware.ProxySignIn")
    backends = [*settings.AUTHENTICATION_BACKENDS, "django.contrib.auth.backends.RemoteUserBackend"]
    monkeypatch.setattr(middleware.ProxySignIn, "header", "HTTP_X_REMOTE_USER")
    with override_settings(MIDDLEWARE=names, AUTHENTICATION_BACKENDS=backends):
        yield Client()


def test_whom_the_proxy_names_is_signed_in_until_the_header_is_gone(proxy: Client) -> None:
    users = [cast.make_user(name) for name in ("ada", "grace")]
    assert proxy.get("/")["Location"] == "/login/?next=/"
    for user in users:  # another name is another person
        assert proxy.get("/", headers={"X-Remote-User": user.username}).wsgi_request.user == user
    assert proxy.get("/")["Location"] == "/login/?next=/"
    User.objects.update(is_active=False)
    assert proxy.get("/", headers={"X-Remote-User": "ada"})["Location"] == "/login/?next=/"


def test_somebody_new_gets_an_account_that_sees_no_campaign(proxy: Client, campaign: Campaign) -> None:
    assert proxy.get("/", headers={"X-Remote-User": "new"}).status_code == 200
    assert not User.objects.get(username="new").check_password("")
    assert proxy.get(f"/c/{campaign.slug}/", headers={"X-Remote-User": "new"}).status_code == 404


def test_without_the_setting_the_header_is_nothing(client: Client) -> None:
    cast.make_user("ada")
    assert client.get("/", headers={"X-Remote-User": "ada"})["Location"] == "/login/?next=/"
