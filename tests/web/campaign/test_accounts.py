"""Signing in, passwords, the one-time link, and the start page."""

import re
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, RequestFactory, override_settings
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from assess.models import Qrels
from assess.services.campaign import accounts
from assess.services.rounds.progress import MainRound
from assess.web.common.middleware import client_address
from tests import cast

pytestmark = pytest.mark.django_db

NEW = "a new and longer passphrase"


def link_for(user: User) -> str:
    return reverse("set_password", args=accounts.new_link(user))


def test_users_sign_in_and_out(client: Client) -> None:
    cast.make_user("ada")
    assert client.get("/")["Location"] == "/login/?next=/"
    answer = client.post("/login/", {"username": "ada", "password": "wrong"})
    assert answer.status_code == 200
    assert re.findall(r'<input [^>]*name="(\w+)"[^>]* autofocus', answer.content.decode()) == ["password"]
    assert client.post("/login/?next=/", {"username": "ada", "password": cast.PASSWORD, "next": "/"})["Location"] == "/"
    assert client.get("/").status_code == 200
    assert client.get("/logout/").status_code == 405  # a foreign link must not sign users out
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/").status_code == 302


def attempt(client: Client, door: str, name: str = "ada", password: str = "wrong", **address: str) -> int:
    return client.post(door, {"username": name, "password": password}, **address).status_code  # type: ignore[arg-type]


@pytest.mark.parametrize("door", ["/login/", "/admin/login/"])
def test_wrong_passwords_are_limited_by_name_and_address(door: str, client: Client) -> None:
    for name in ("ada", "emmy"):
        cast.make_user(name, is_staff=True)
    assert {attempt(client, door) for _ in range(settings.AXES_FAILURE_LIMIT - 1)} == {200}
    assert attempt(client, door) == 429
    refused = client.post(door, {"username": "ada", "password": cast.PASSWORD})
    assert (refused.status_code, "Try again in 15 minutes" in refused.content.decode()) == (429, True)
    other = "/login/" if door == "/admin/login/" else "/admin/login/"
    assert attempt(client, other, password=cast.PASSWORD) == 429
    assert attempt(Client(), door, "emmy", cast.PASSWORD) == 302
    assert attempt(Client(), door, password=cast.PASSWORD, REMOTE_ADDR="198.51.100.7") == 302
    AccessAttempt.objects.update(attempt_time=timezone.now() - settings.AXES_COOLOFF_TIME)
    assert attempt(Client(), door, password=cast.PASSWORD) == 302


def test_the_right_password_forgets_the_wrong_ones(client: Client) -> None:
    cast.make_user("ada")
    for _ in range(3):
        for _ in range(settings.AXES_FAILURE_LIMIT - 1):
            assert attempt(Client(), "/login/") == 200
        assert attempt(Client(), "/login/", password=cast.PASSWORD) == 302


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw(rf: RequestFactory) -> None:
    request = rf.get("/", headers={"X-Forwarded-For": "192.0.2.1, 198.51.100.7"})
    assert client_address(request) == "127.0.0.1"  # nobody vouches for the header
    with override_settings(HTTPS=True):
        assert client_address(request) == "198.51.100.7"
        assert client_address(rf.get("/", REMOTE_ADDR="")) is None  # a Unix socket


def test_signing_in_does_not_lead_to_another_host(client: Client) -> None:
    cast.make_user("ada")
    data = {"username": "ada", "password": cast.PASSWORD, "next": "https://elsewhere.example/"}
    assert client.post("/login/", data)["Location"] == "/"


def test_a_new_member_sets_a_password_with_a_link_that_works_once(client: Client) -> None:
    campaign = cast.make_campaign()
    newcomer = accounts.make_account("newcomer", cast.make_cast(campaign).olga)
    address = link_for(newcomer)
    form = client.get(address, follow=True)
    assert "<strong>newcomer</strong>" in form.content.decode()
    where = form.redirect_chain[-1][0]
    refused = client.post(where, {"new_password1": "12345", "new_password2": "12345"})
    assert "new_password2" in refused.context["form"].errors  # too short
    home = client.post(where, {"new_password1": NEW, "new_password2": NEW}, follow=True)
    assert home.context["user"] == newcomer
    client.logout()
    assert not client.get(address, follow=True).context["validlink"]
    assert attempt(client, "/login/", "newcomer", NEW) == 302


def test_a_newer_link_voids_the_older(client: Client) -> None:
    ada = cast.make_user("ada")
    older, newer = link_for(ada), link_for(ada)
    assert not client.get(older, follow=True).context["validlink"]
    assert client.get(newer, follow=True).context["validlink"]


def test_users_edit_their_name_and_address(client: Client) -> None:
    client.force_login(ada := cast.make_user("ada"))
    assert client.post("/account/", {"first_name": "Ada L.", "email": "no address"}).status_code == 422
    client.post("/account/", {"first_name": "Ada L.", "email": "ada@example.org", "username": "olga", "is_staff": "1"})
    ada.refresh_from_db()
    assert (ada.first_name, ada.email, ada.username, ada.is_staff) == ("Ada L.", "ada@example.org", "ada", False)


def test_without_mail_nobody_is_promised_any(client: Client) -> None:
    assert "Ask an organizer" in client.get("/login/").content.decode()
    assert client.get("/password/forgotten/").status_code == 404


def test_a_forgotten_password_is_replaced_by_mail(client: Client, settings: Settings, mailoutbox: list[Any]) -> None:
    settings.EMAIL_HOST = "mail.example"
    ada = cast.make_user("ada")
    User.objects.filter(pk=ada.pk).update(email="ada@example.org")
    answers = [client.post("/password/forgotten/", {"email": email}) for email in ("ada@example.org", "x@example.org")]
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {(302, "/login/")}
    (mail,) = mailoutbox
    link = re.search(r"http://testserver(/password/\S+)", mail.body)[1]
    form = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(form, {"new_password1": NEW, "new_password2": NEW})
    assert attempt(Client(), "/login/", password=NEW) == 302


@pytest.mark.parametrize("address", ["/password/MQ/abc-123/", "/password/zz/set-password/"])
def test_an_invented_link_does_not_work(client: Client, address: str) -> None:
    cast.make_user("ada")
    assert not client.get(address, follow=True).context["validlink"]


def test_users_change_their_password(client: Client) -> None:
    client.force_login(cast.make_user("ada"))
    data = {"old_password": cast.PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert client.post("/password/", data)["Location"] == "/"
    assert User.objects.get(username="ada").check_password(NEW)


def test_the_start_page_of_a_user_without_campaigns_says_what_to_do(client: Client) -> None:
    client.force_login(cast.make_user("mallory"))
    html = client.get("/").content.decode()
    assert "<strong>mallory</strong>" in html  # the name that an organizer needs
    assert reverse("campaign_new") not in html


def test_the_start_page_lists_only_the_users_campaigns_and_topics(client: Client) -> None:
    campaign, other = cast.make_campaign(), cast.make_campaign(name="Other lab")
    people = cast.make_cast(campaign)
    pool = cast.make_pool(campaign)
    cast.make_assignment(pool, people.ada)
    cast.make_assignment(pool, people.emmy, topic="A.2")
    client.force_login(people.ada)
    html = " ".join(client.get("/").content.decode().split())
    assert "A.1" in html
    assert "0 of 4 answers judged" in html
    assert "A.2" not in html
    assert other.name not in html
    assert "<td>Assessor</td> <td>being judged</td>" in html


@pytest.mark.parametrize(
    ("done", "state"),
    [
        ("nothing", "being set up"),
        ("pool", "pool not frozen"),
        ("release", "qrels released"),
        ("preliminary", "being judged, preliminary qrels released"),
    ],
)
def test_the_start_page_shows_the_state_of_a_campaign(client: Client, done: str, state: str) -> None:
    campaign = cast.make_campaign()
    if done != "nothing":
        pool = cast.make_pool(campaign, frozen=done != "pool")
    if done in ("release", "preliminary"):
        olga = User.objects.get(username="olga")
        main = MainRound(4 if done == "release" else 3, 4, 1, 0)._asdict()
        Qrels.objects.create(pool=pool, version=1, protocol=pool.protocol, released_by=olga, main_round=main)
    client.force_login(User.objects.get(username="olga"))
    assert f"<td>{state}</td>" in client.get("/").content.decode()


@pytest.mark.parametrize("address", ["/nowhere/", "/c/nowhere/"])
def test_an_unknown_address_gets_a_page_of_ours(client: Client, address: str) -> None:
    client.force_login(cast.make_user("ada"))
    response = client.get(address)
    assert response.status_code == 404
    assert "<h1>Not found</h1>" in response.content.decode()


def test_a_form_older_than_the_session_says_that_nothing_was_saved() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.make_user("ada"))
    response = client.post("/password/", {"old_password": cast.PASSWORD})
    assert response.status_code == 403
    assert "<h1>Not saved</h1>" in response.content.decode()
