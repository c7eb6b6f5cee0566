"""``manage.py remind``."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from assess.models import Round
from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.lab import client_of

pytestmark = pytest.mark.django_db


def test_overdue_topics_and_the_state_of_campaigns_are_mailed_to_those_who_want_it(
    settings: Settings, mailoutbox: list[Any]
) -> None:
    cast = make_cast(campaign := make_campaign())
    assignment = make_assignment(make_pool(campaign), cast.ada)
    Round.objects.update(due=timezone.localdate() - timedelta(days=1))
    for user in cast:
        user.email = f"{user}@example.org"
        user.save()
    settings.EMAIL_HOST = "mail.example.org"
    call_command("remind", site="https://assess.example/")
    ada, olga = mailoutbox
    assert (ada.to, olga.to) == (["ada@example.org"], ["olga@example.org"])
    assert f"{campaign}, A.1: 4 left, due on" in ada.body
    assert f"https://assess.example{assignment.get_absolute_url()}" in ada.body
    assert "judged; 0 open questions; overdue: Main, 4 left" in olga.body
    client_of(cast.olga).post("/account/", {"first_name": "Olga", "email": "olga@example.org"})  # not ticked
    Round.objects.update(due=None)
    call_command("remind", site="https://assess.example")
    assert mailoutbox[2:] == []
