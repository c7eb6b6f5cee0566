"""The page of outcomes: list, filter, sending back."""

import re
from typing import Any

import pytest
from django.test import Client

from assess.models import Assignment
from assess.web.desk import questions
from tests.cast import Cast
from tests.lab import client_of, judge
from tests.web.organizer import messages_of, text_of, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(answers: Assignment) -> Assignment:
    judge(answers, {"11": "system_failure", "12": "do_not_know", "21": "3"})
    return answers


@pytest.fixture
def olga(people: Cast) -> Client:
    return client_of(people.olga)


def listed(page: str) -> list[str]:
    return re.findall(r'name="judgments" value="([^"]+)"', page)


def send(client: Client, assignment: Assignment, **fields: object) -> Any:
    return client.post(url_of("outcomes", assignment.campaign), fields, follow=True)


def test_outcomes_are_listed_with_their_comments_by_kind_and_page(
    olga: Client, judged: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = text_of(olga, "outcomes", judged.campaign)
    assert (len(listed(page)), page.count('<td class="comment">why</td>')) == (2, 2)
    kind = olga.get(f"{url_of('outcomes', judged.campaign)}&show=do_not_know")
    assert len(listed(kind.content.decode())) == 1
    monkeypatch.setattr(questions, "PER_PAGE", 1)
    second = listed(olga.get(f"{url_of('outcomes', judged.campaign)}&page=2").content.decode())
    assert second == listed(page)[1:]


def test_ticked_judgments_go_back_or_all_of_a_page(olga: Client, judged: Assignment) -> None:
    first = listed(text_of(olga, "outcomes", judged.campaign))[0]
    answer = send(olga, judged, judgments=[first], reason="Picture added")
    assert "1 judgment" in messages_of(answer)[0]
    assert len(listed(answer.content.decode())) == 1
    assert first not in listed(answer.content.decode())
    assert judged.judgments.count() == 2
    shown = listed(answer.content.decode())
    send(olga, judged, shown=shown, all="on", reason="Mended")
    assert list(judged.judgments.values_list("grade", flat=True)) == [3]


def test_without_judgments_or_a_reason_nothing_happens_and_ticks_stay(olga: Client, judged: Assignment) -> None:
    first, _ = listed(text_of(olga, "outcomes", judged.campaign))
    for reason, *sent in (("Mended",), ("", "x", "1"), ("Mended", ":"), ("", first)):
        response = olga.post(url_of("outcomes", judged.campaign), {"judgments": sent, "reason": reason})
        assert (response.status_code, judged.judgments.count()) == (422, 3)
    assert re.findall(r'value="([^"]+)" id="j\d+" checked', response.content.decode()) == [first]
