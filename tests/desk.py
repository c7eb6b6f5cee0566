"""What the tests of the judging desk share, with a browser and without."""

import re
from typing import Any
from uuid import uuid4

from django.test import Client
from lxml import html

from assess.models import Assignment, Instance, PoolEntry, Post
from assess.services.desk import decisions, documents
from assess.services.pool import freezing
from assess.services.pool.content import Card
from tests import cast


def texts_of(page: str, path: str) -> list[str]:
    """The texts of the elements of a page that an XPath finds, with single spaces."""
    found: Any = html.fromstring(page).xpath(path)
    return [" ".join(element.text_content().split()) for element in found]


def place_of(assignment: Assignment, unit: str) -> int:
    entry = PoolEntry.objects.get(pool=assignment.round.pool, topic=assignment.topic, unit_id=unit)
    return assignment.order.index(entry.pk) + 1


def unit_at(assignment: Assignment, place: int) -> str:
    return PoolEntry.objects.get(pk=assignment.order[place - 1]).unit_id


def documents_of(assignment: Assignment) -> set[str]:
    return set(Instance.objects.filter(pk__in=assignment.instance_order).values_list("doc_id", flat=True))


def share_post(assignment: Assignment) -> None:
    """Of the formulas of `cast.make_pool`, 110 and 120 of v1 and 220 of v2 are in post 11; 210 of v1 is in post 21."""
    formulas = ", ".join(cast.math(formula, "x+1") for formula in ("110", "120", "220"))
    Post.objects.filter(post_id="11").update(body=f"<p>See {formulas}.</p>")
    instances = Instance.objects.filter(entry__topic=assignment.topic)
    instances.exclude(doc_id="210").update(post_id="11")
    freezing.seal_all(assignment.topic.campaign, instances, cast.on_progress)


def url(assignment: Assignment, unit: str) -> str:
    return f"/judge/{assignment.pk}/{place_of(assignment, unit)}/"


def card_of(assignment: Assignment, unit: str, doc: str = "") -> Card:
    """What the desk shows of a document, by default of the one that is the unit itself."""
    cards = documents.open_item(assignment, place_of(assignment, unit)).cards
    return next(card for card in cards if card.instance.doc_id == (doc or unit))


def sent(
    assignment: Assignment, unit: str, word: str, *, doc: str = "", comment: str = "", **more: object
) -> dict[str, Any]:
    """What the browser sends when a button of a document is pressed."""
    card = card_of(assignment, unit, doc)
    return {
        "instance": card.instance.pk,
        "content_hash": card.content_hash,
        "key": str(uuid4()),
        "after": decisions.as_fields(card.instance.own_judgment)["key"],
        "word": word,
        "comment": comment,
        "active_ms": 1500,
        "wall_ms": 2500,
        **more,
    }


def press(client: Client, assignment: Assignment, unit: str, word: str, **more: Any) -> Any:
    """Presses a button as a browser without scripts does."""
    return client.post(url(assignment, unit), sent(assignment, unit, word, **more))


def send(client: Client, assignment: Assignment, unit: str, word: str, **more: Any) -> Any:
    """Presses a button as the desk's script does."""
    return client.post(url(assignment, unit), sent(assignment, unit, word, **more), headers=JSON)


JSON = {"accept": "application/json"}


def keyless(text: str) -> str:
    """A page, or an answer to its script, without what is drawn by lot: any letters and digits may be in that."""
    return re.sub(r'<input type=\\?"hidden\\?" name=\\?"(csrfmiddlewaretoken|key)\\?"[^>]*>', "", text)


def decisions_of(assignment: Assignment) -> dict[str, str]:
    judgments = assignment.judgments.select_related("instance")
    return {judgment.instance.doc_id: judgment.decision for judgment in judgments}


def judge_all(assignment: Assignment, word: str, comment: str = "") -> None:
    """The same decision on every document, through the service."""
    for place in range(1, len(assignment.order) + 1):
        for card in documents.open_item(assignment, place).cards:
            decision = decisions.Decision(card.instance.pk, card.content_hash, word, comment, active_ms=9000)
            decisions.save_decisions(assignment.pk, assignment.assessor, [decision])
