"""Signing in, also by the header of a proxy (USER_HEADER), passwords, the one-time link, and the start page."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError
from pytest_django import Settings

from assess import tasks
from assess.models import Campaign, Qrels
from assess.services.campaign import accounts
from assess.services.pool import freezing
from assess.web.campaign import accounts as accounts_pages
from assess.web.common import middleware
from assess.web.common.middleware import client_address
from tests import cast
from tests.web.organizer import make_run

pytestmark = pytest.mark.django_db

NEW = "a new and longer passphrase"


def test_users_sign_in_and_out(client: Client) -> None:
    cast.make_user("ada")
    first = client.session.session_key
    assert client.get("/")["Location"] == "/login/?next=/"
    assert attempt(client, "/login/") == 200
    right = {"username": "ada", "password": cast.PASSWORD, "next": "https://elsewhere.example/"}
    assert client.post("/login/", right)["Location"] == "/", "not to another host"
    assert client.get("/").status_code == 200
    assert client.get("/logout/").status_code == 405  # a foreign link must not sign users out
    second = client.session.session_key
    assert client.post("/logout/")["Location"] == "/login/"
    assert client.get("/").status_code == 302
    address = "/c/lab/pool/freeze/"
    assert client.post(address)["Location"] == f"/login/?next={address}"
    for host, page in {"testserver": "/c/lab/pool/%3Fplan%3D", "elsewhere.example": address}.items():
        form = {"Referer": f"http://{host}/c/lab/pool/?plan="}
        assert client.post(address, headers=form)["Location"] == f"/login/?next={page}", "where the form was"
    assert first != second
    assert not Session.objects.filter(session_key__in=[first, second]).exists()


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
    for _ in range(2):  # the right password forgets the wrong ones
        assert attempt(Client(), door, password=cast.PASSWORD) == 302
        assert {attempt(Client(), door) for _ in range(settings.AXES_FAILURE_LIMIT - 1)} == {200}


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw(rf: RequestFactory) -> None:
    request = rf.get("/", headers={"X-Forwarded-For": "192.0.2.1, 198.51.100.7"})
    assert client_address(request) == "127.0.0.1"  # nobody vouches for the header
    with override_settings(HTTPS=True):
        assert client_address(request) == "198.51.100.7"
        assert client_address(rf.get("/", REMOTE_ADDR="")) is None  # a Unix socket


def test_a_new_member_sets_a_password_with_a_link_that_works_once(client: Client) -> None:
    campaign = cast.make_campaign()
    newcomer = accounts.make_account("newcomer", cast.make_cast(campaign).olga)
    address = accounts.new_link(newcomer)
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


def test_a_link_works_for_seven_days_unless_there_is_a_newer_one(client: Client) -> None:
    ada = cast.make_user("ada")
    older, newer = accounts.new_link(ada), accounts.new_link(ada)
    for void in (older, "/password/MQ/abc-123/", "/password/zz/set-password/"):
        assert not client.get(void, follow=True).context["validlink"], void
    for days, is_valid in ((0, True), (6.9, True), (7.1, False)):
        later = datetime.now() + timedelta(days=days)
        with patch.object(accounts.TOKENS, "_now", lambda: later):  # noqa: B023
            assert client.get(newer, follow=True).context["validlink"] == is_valid


def test_another_address_needs_the_password_and_the_old_one_is_told(
    client: Client, mail: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    client.force_login(ada := cast.make_user("ada", email="ada@example.org"))
    data = {"first_name": "Ada L.", "email": "ada@example.org", "username": "olga", "is_staff": "1"}
    assert client.post("/account/", data).status_code == 302, "the address stays as it is"
    for password, reason in (("", "Enter your password"), ("wrong", "This is not your password.")):
        refused = client.post("/account/", {"email": "thief@example.org", "password": password})
        assert reason in str(refused.context["form"].errors["password"])
    assert client.post("/account/", {"email": "no address", "password": cast.PASSWORD}).status_code == 422
    ada.refresh_from_db()
    assert (ada.first_name, ada.email, ada.username, ada.is_staff) == ("Ada L.", "ada@example.org", "ada", False)
    assert mail == []
    client.post("/account/", {"email": "ada@example.net", "password": cast.PASSWORD})
    assert [(sent.to, "to ada@example.net" in sent.body) for sent in mail] == [(["ada@example.org"], True)]
    assert "'ada' has changed the e-mail address" in caplog.messages


def test_wrong_passwords_for_another_address_are_limited(client: Client) -> None:
    client.force_login(cast.make_user("ada"))
    data = {"email": "ada@example.org", "password": "wrong"}
    answers = [client.post("/account/", data) for _ in range(settings.AXES_FAILURE_LIMIT)]
    assert [answer.status_code for answer in answers] == [422] * (len(answers) - 1) + [429]
    assert "ask an organizer" in answers[-1].content.decode()
    with override_settings(EMAIL_HOST="mail.example.org"):
        assert reverse("forgotten") in client.post("/account/", data).content.decode()


def test_without_mail_nobody_is_promised_any(client: Client) -> None:
    assert "manage.py createsuperuser" in client.get("/login/").content.decode(), "there is nobody to ask"
    cast.make_user("ada")
    assert "Ask an organizer" in client.get("/login/").content.decode()
    assert client.get("/password/forgotten/").status_code == 404


@pytest.fixture
def mail(settings: Settings, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What a worker has sent; nothing was asked for before."""
    settings.EMAIL_HOST = "mail.example"
    for task in (tasks.mail_links, tasks.mail_address_change):
        monkeypatch.setattr(task, "delay", task)
    yield mailoutbox
    cache.clear()


def test_a_forgotten_password_is_replaced_by_mail(client: Client, mail: list[Any]) -> None:
    cast.make_user("ada", email="ada@example.org")
    answers = [client.post("/password/forgotten/", {"email": email}) for email in ("ada@example.org", "x@example.org")]
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {(302, "/login/")}
    (sent,) = mail
    assert "within 7 days" in sent.body
    link = re.search(r"http://testserver(/password/\S+)", sent.body)[1]
    form = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(form, {"new_password1": NEW, "new_password2": NEW})
    assert attempt(Client(), "/login/", password=NEW) == 302


def test_links_for_forgotten_passwords_are_limited_and_take_the_same_for_all(client: Client, mail: list[Any]) -> None:
    cast.make_user("ada", email="ada@example.org")
    queries = []
    for email in ("x@example.org", "ADA@example.org", "ada@example.org"):
        with CaptureQueriesContext(connection) as asked, patch.object(tasks.mail_links, "delay") as later:
            client.post("/password/forgotten/", {"email": email})
        queries.append((len(asked), later.call_count))
    assert queries == [(queries[0][0], 1), (queries[0][0], 1), (queries[0][0], 0)]
    for number in range(accounts_pages.MOST_ASKED - 3):
        assert client.post("/password/forgotten/", {"email": f"{number}@example.org"}).status_code == 302
    assert "Try again in an hour" in client.post("/password/forgotten/", {"email": "y@example.org"}).content.decode()
    elsewhere = Client(REMOTE_ADDR="198.51.100.7")
    with patch.object(tasks.mail_links, "delay", side_effect=OperationalError):
        page = elsewhere.post("/password/forgotten/", {"email": "y@example.org"}).content.decode()
    assert "No e-mail can be sent at the moment." in page
    assert elsewhere.post("/password/forgotten/", {"email": "z@example.org"}).status_code == 302


def test_wrong_passwords_are_limited_by_name_from_anywhere_and_by_address_for_any_name() -> None:
    for name in ("ada", "emmy"):
        cast.make_user(name)
    for number in range(settings.AXES_FAILURE_LIMIT * 5 - 1):
        assert attempt(Client(), "/login/", REMOTE_ADDR=f"198.51.100.{number}") == 200
    assert attempt(Client(), "/login/", REMOTE_ADDR="203.0.113.1") == 429
    assert attempt(Client(), "/login/", password=cast.PASSWORD, REMOTE_ADDR="203.0.113.2") == 429
    assert attempt(Client(), "/login/", "emmy", cast.PASSWORD, REMOTE_ADDR="203.0.113.2") == 302
    for number in range(settings.AXES_FAILURE_LIMIT * 10 - 1):
        assert attempt(Client(), "/login/", f"guess-{number}", REMOTE_ADDR="192.0.2.9") == 200
    assert attempt(Client(), "/login/", "another", REMOTE_ADDR="192.0.2.9") == 429
    assert attempt(Client(), "/login/", "emmy", cast.PASSWORD, REMOTE_ADDR="192.0.2.9") == 429
    assert attempt(Client(), "/login/", "emmy", cast.PASSWORD) == 302


def test_sign_ins_failures_lock_outs_and_changed_passwords_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    cast.make_user("ada")
    client = Client(REMOTE_ADDR="198.51.100.7")
    attempt(client, "/login/", password=cast.PASSWORD)
    client.post("/password/", {"old_password": cast.PASSWORD, "new_password1": NEW, "new_password2": NEW})
    for _ in range(settings.AXES_FAILURE_LIMIT):
        attempt(client, "/login/", "x\ny")
    messages = [record.getMessage() for record in caplog.records if record.name == "assess.accounts"]
    failed = r"sign-in failed for 'x\ny' from 198.51.100.7"
    assert messages == [
        "'ada' signed in from 198.51.100.7",
        "'ada' has changed the password",
        *[failed] * (settings.AXES_FAILURE_LIMIT - 1),
        r"'x\ny' is locked out from 198.51.100.7",
        failed,
    ]


def test_people_see_where_they_are_signed_in_and_end_it_there() -> None:
    emmy, ada = (cast.make_user(name) for name in ("emmy", "ada"))
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    here, there, third = (Client(headers={"User-Agent": agent}) for agent in ("curl/8", firefox, "curl/8"))
    for client in (here, there, third):
        attempt(client, "/login/", password=cast.PASSWORD)
    stranger = Client()
    stranger.force_login(emmy)
    page = here.get("/account/")
    rows = [(browser, session.address, is_here) for session, browser, is_here in page.context["sessions"]]
    assert sorted(rows) == [
        ("Firefox, Linux", "127.0.0.1", False),
        ("curl/8", "127.0.0.1", False),
        ("curl/8", "127.0.0.1", True),
    ]
    assert not {client.session.session_key for client in (here, there, third)} & set(page.content.decode().split('"'))
    (name,) = (session.name for session, browser, _ in page.context["sessions"] if browser == "Firefox, Linux")
    stranger.post("/account/sessions/", {"name": name})
    assert there.get("/account/").status_code == 200, "not theirs to end"
    here.post("/account/sessions/", {"name": name})
    assert [client.get("/account/").status_code for client in (here, there, third)] == [200, 302, 200]
    here.post("/account/sessions/")
    assert [client.get("/account/").status_code for client in (here, third, stranger)] == [200, 302, 200]
    assert len(accounts.open_sessions(ada)) == 1


def test_assessors_see_only_their_campaigns_and_topics_and_nothing_of_the_runs(client: Client) -> None:
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
    assert "My campaigns" not in html
    make_run(campaign, name="secret-run")
    html = client.get(campaign.get_absolute_url()).content.decode()
    assert [part in html for part in (">A.1</a>", "0 of 4", "A.2", "secret-run")] == [True, True, False, False]
    client.force_login(people.mallory)
    html = client.get("/").content.decode()
    assert "<strong>mallory</strong>" in html, "the name that an organizer needs"
    assert reverse("campaign_new") not in html


def test_the_start_page_shows_the_state_of_a_campaign(client: Client) -> None:
    def state() -> str:
        return client.get("/").content.decode().partition("<td>Organizer</td>")[2].partition("</tr>")[0]

    campaign = cast.make_campaign()
    client.force_login(olga := User.objects.get(username="olga"))
    assert "<td>being set up</td>" in state()
    pool = cast.make_pool(campaign, frozen=False)
    assert "<td>pool not frozen</td>" in state()
    freezing.freeze(pool, cast.on_progress)
    assert "<td>not assigned</td>" in state()
    cast.make_assignment(pool, cast.make_cast(campaign).ada)
    assert "<td>being judged</td>" in state()
    for version, state_then in ((1, "preliminary qrels released"), (2, "qrels released")):
        judged = {"judged": version, "documents": 2}
        Qrels.objects.create(pool=pool, version=version, protocol=pool.protocol, released_by=olga, main_round=judged)
        assert f"<td>{state_then}</td>" in state()


def test_what_fails_gets_a_page_of_ours() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.make_user("ada"))
    for address in ("/nowhere/", "/c/nowhere/"):
        response = client.get(address)
        assert (response.status_code, "<h1>Not found</h1>" in response.content.decode()) == (404, True)
        assert "tell an organizer or administrator" in response.content.decode()  # organizers read it, too
    response = client.post("/password/", {"old_password": cast.PASSWORD})
    assert response.status_code == 403
    assert "<h1>Not saved</h1>" in response.content.decode()


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
