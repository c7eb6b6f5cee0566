"""Who is signed in: the same people as with Django's own sessions and names."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

from tests.cast import make_campaign, make_cast

pytestmark = pytest.mark.django_db

IN, OUT = 200, 302


@pytest.fixture
def ada(client):
    ada = make_cast(make_campaign()).ada
    client.force_login(ada)
    assert client.get("/").status_code == IN
    return ada


def test_a_session_ends_at_its_time(client, ada):
    Session.objects.update(expire_date=timezone.now() + timedelta(minutes=1))
    assert client.get("/").status_code == IN
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert client.get("/").status_code == OUT


def test_who_was_deactivated_is_out(client, ada):
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert client.get("/").status_code == OUT


def test_who_is_no_longer_there_is_out(client, ada):
    ada.memberships.all().delete()
    ada.delete()
    assert client.get("/").status_code == OUT


def test_a_password_changed_elsewhere_ends_the_session(client, ada):
    ada.set_password("another one")
    ada.save()
    assert client.get("/").status_code == OUT


@pytest.mark.parametrize("data", ["garbage", ""])
def test_a_session_that_was_not_signed_here_is_none(client, ada, data):
    Session.objects.update(session_data=data)
    assert client.get("/").status_code == OUT


def test_a_session_signed_with_the_key_before_goes_on_under_a_new_name(client, ada, settings):
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "n" * 60
    name = client.cookies["sessionid"].value
    assert client.get("/").status_code == IN
    assert not Session.objects.filter(pk=name).exists()


def test_who_signed_in_before_an_upgrade_stays_signed_in(client, ada):
    session = client.session
    session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
    session.save()
    assert client.get("/").status_code == IN


def test_what_a_request_does_to_its_session_is_not_seen_by_the_next_one_unless_it_is_saved(client, ada):
    session = client.session
    session["seen"] = {"threads": ["1"]}
    session.save()
    first, second = client.session, client.session
    first["seen"]["threads"].append("2")
    assert second["seen"] == {"threads": ["1"]}


def renamed(client, name):
    """The browser's session under another name."""
    Session.objects.update(session_key=name)
    client.cookies["sessionid"] = name


def test_the_name_of_a_session_brings_its_person_in_the_same_question(client, ada, django_assert_num_queries):
    assert client.cookies["sessionid"].value.endswith(f"_{ada.pk}")
    assert Session.objects.count() == 1
    with django_assert_num_queries(1):
        assert client.get("/guide/none/").wsgi_request.user.pk == ada.pk


def test_a_session_without_a_person_in_its_name_goes_on_as_it_is(client, ada):
    renamed(client, "n" * 32)
    assert client.get("/").wsgi_request.user == ada
    session = client.session
    session["more"] = 1
    session.save()
    assert Session.objects.get().pk == "n" * 32
    assert client.get("/").status_code == IN


@pytest.mark.parametrize("number", ["{other}", "0", "-1", "x", "", "9" * 7, "9" * 8])
def test_the_number_in_the_name_makes_nobody_somebody_else(client, ada, number):
    other = User.objects.create_superuser("root")
    renamed(client, f"{'n' * 31}_{number.format(other=other.pk)}")
    assert client.get("/").wsgi_request.user == ada


def test_another_person_gets_a_session_of_another_name(client, ada):
    other = User.objects.create_user("other")
    client.force_login(other)
    assert client.cookies["sessionid"].value == Session.objects.get().pk
    assert client.cookies["sessionid"].value.endswith(f"_{other.pk}")
    assert client.get("/").wsgi_request.user == other


def test_who_signed_in_by_what_is_not_here_is_out(client, ada):
    session = client.session
    session["_auth_user_backend"] = "elsewhere.Backend"
    session.save()
    assert client.get("/").status_code == OUT


def test_a_person_is_read_whole_when_asked_and_saved_whole(client, ada):
    User.objects.filter(pk=ada.pk).update(email="ada@example.org")
    user = client.get("/").wsgi_request.user
    assert (user.username, user.is_active, user.is_superuser) == ("ada", True, False)
    user.last_name = "Lovelace"
    user.save()
    kept = User.objects.get(pk=ada.pk)
    assert (kept.last_name, kept.email, kept.date_joined) == ("Lovelace", "ada@example.org", ada.date_joined)
