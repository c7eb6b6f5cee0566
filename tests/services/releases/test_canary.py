"""Every grade comes out at the document whose text was on the screen when it was given, whatever the order of items:
three NTCIR collections had wrong qrels for years, because a place in a pool stood for a document (arXiv:2210.10266).

The reader of this test knows no ids. It reads the text of each document, and grades what it read.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from lxml import html

from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Assignment
from assess.services.releases import qrels
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.desk import JSON
from tests.lab import client_of

pytestmark = pytest.mark.django_db

GRADES = {"ada": {"11": 3, "12": 0, "21": 2, "22": 1}, "emmy": {"11": 0, "12": 2, "21": 1, "22": 3}}
"""What each reader thinks of an answer, or of the formula in it."""
DOCUMENTS = {
    "arqmath3-task1": {"11": "11", "12": "12", "21": "21"},
    "arqmath3-task2": {n: f"{n}0" for n in GRADES["ada"]},
}
"""The document that says "Answer 11", and so on."""


def press(client: Client, address: str, sent: dict[str, Any]) -> Any:
    return client.post(address, sent)


def send(client: Client, address: str, sent: dict[str, Any]) -> Any:
    """As the desk's script does."""
    return client.post(address, sent, headers=JSON)


def call(client: Client, address: str, sent: dict[str, Any]) -> Any:
    """As a program does."""
    path = f"/api/assignments/{address.split('/')[2]}/judgments/"
    given = {name: sent[name] for name in ("instance", "content_hash", "key", "word")}
    return client.post(path, [given], content_type="application/json")


Door = Callable[[Client, str, dict[str, Any]], Any]


def on_screen(client: Client, address: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The number of each answer that is shown, and what its form sends."""
    page: Any = html.fromstring(client.get(address).content.decode())
    for document in page.xpath("//section[@class='item']//*[@data-document]"):
        read = re.search(r"Answer (\d+) says", document.text_content())
        hidden = document.xpath(".//form[.//*[@name='word']]//input[@type='hidden']")
        if read:  # one document has no text
            yield read[1], {field.get("name"): field.get("value", "") for field in hidden}


def judge(assignment: Assignment, door: Door) -> None:
    name = assignment.assessor.username
    client = client_of(assignment.assessor)
    for place in range(1, len(assignment.order) + 1):
        address = f"/judge/{assignment.pk}/{place}/"
        for number, fields in list(on_screen(client, address)):
            answer = door(client, address, fields | {"word": str(GRADES[name][number])})
            assert answer.status_code in (200, 302, 303), answer.content


def backwards(order: list[int]) -> list[int]:
    return order[::-1]


def rotated(order: list[int]) -> list[int]:
    return order[1:] + order[:1]


@pytest.mark.parametrize("preset", DOCUMENTS)
@pytest.mark.parametrize(
    ("arrange", "doors"), [(list, (press, call)), (backwards, (send, press)), (rotated, (call, send))]
)
def test_each_grade_is_that_of_the_text_it_was_given_for(
    preset: str, arrange: Callable[[list[int]], list[int]], doors: tuple[Door, Door]
) -> None:
    campaign = make_campaign(preset)
    cast, pool = make_cast(campaign), make_pool(campaign)
    for assessor, kind, door in ((cast.ada, "main", doors[0]), (cast.emmy, "dual", doors[1])):
        given = make_assignment(pool, assessor, kind=kind)
        given.order, given.instance_order = arrange(given.order), arrange(given.instance_order)
        given.save()
        judge(given, door)
    unit = "instance" if campaign.is_formulas else "post"
    for assessor in (cast.ada, cast.emmy):
        options = ReleaseOptions(judges="assessor", assessor=assessor.username)
        released = qrels.release(pool, cast.olga, on_progress, options).lines_of(unit)
        expected = {document: GRADES[assessor.username][number] for number, document in DOCUMENTS[preset].items()}
        assert {line.unit_id: line.grade for line in released} == expected
