"""What an assessor is shown for a document, the same for the freeze, the page and the save; and in which order."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from assess.ir.common.rows import grouped
from assess.ir.rounds.allocation import drawn
from assess.models import Campaign, Instance, Pool, Post, Topic, WrittenAnswer


class Card(NamedTuple):
    """One document: its post, unless it is a written answer or the collection lacks it; its text, empty if it is
    missing; and the hash of all that an assessor sees of it."""

    instance: Instance
    post: Post | None
    body: str
    content_hash: str

    @property
    def highlight(self) -> tuple[str, ...]:
        return (self.instance.doc_id,) if self.instance.kind == Instance.Kind.FORMULA else ()


def cards_of(campaign: Campaign, topic: Topic, instances: Iterable[Instance]) -> list[Card]:
    """The documents of one topic, in the order given; a query, and another if there are written answers."""
    instances = list(instances)
    post_ids = [instance.post_id for instance in instances if instance.post_id]
    stored = Post.objects.filter(collection=campaign.collection_id, post_id__in=post_ids)
    posts = {post.post_id: post for post in stored}
    written = [instance.doc_id for instance in instances if instance.kind == Instance.Kind.WRITTEN]
    answers = WrittenAnswer.objects.filter(topic=topic, doc_id__in=written).values_list("doc_id", "body")
    texts = dict(answers) if written else {}
    return [as_card(topic, each, posts.get(each.post_id), texts.get(each.doc_id, "")) for each in instances]


def as_card(topic: Topic, instance: Instance, post: Post | None, answer: str = "") -> Card:
    body = post.body if post else answer
    parts = [topic.topic_id, topic.title, topic.body, topic.formula_id, instance.kind, instance.doc_id]
    parts += [post.title if post else "", body]
    if post and post.kind == Post.Kind.DOCUMENT:
        parts.append(post.url)
    for name, text in sorted(topic.fields.items()):  # PostgreSQL does not keep their order
        parts += [name, text]
    return Card(instance, post, body, hashlib.sha256("\0".join(parts).encode()).hexdigest())


Documents = list[tuple[str, int, str, int]]
"""Unit, entry, document and instance; entry and instance by their keys."""
Shown = list[tuple[int, int]]
"""Entry and instance, by their keys, in the order in which they are shown."""


def documents_of_topics(pool: Pool, topics: Collection[int], version: int = 1) -> defaultdict[int, Documents]:
    """By topic, what was added by a version or later."""
    chosen = Instance.objects.filter(entry__pool=pool, entry__topic__in=topics, entry__version__gte=version)
    rows: Iterable[Any] = chosen.values_list("entry__topic", "entry__unit_id", "entry_id", "doc_id", "pk").order_by()
    return grouped((topic, tuple(row)) for topic, *row in rows)


def presentation(pool: Pool, topic: Topic, assessor: User, version: int = 1) -> Shown:
    """The entries since a version in random order, so that neither ranks nor votes show; another for each assessor."""
    return presentation_of(documents_of_topics(pool, [topic.pk], version)[topic.pk], pool, topic, assessor)


def presentation_of(documents: Documents, pool: Pool, topic: Topic, assessor: User) -> Shown:
    def place(unit: str, doc_id: str) -> tuple[Any, ...]:
        names = ((unit, topic.topic_id), (doc_id, f"{topic.topic_id} {unit}"))
        return tuple(drawn(name, pool.seed, assessor.username, within) for name, within in names)

    return [(entry, pk) for unit, entry, doc_id, pk in sorted(documents, key=lambda row: place(row[0], row[2]))]


def orders_of(shown: Shown) -> dict[str, list[int]]:
    """The fields of an assignment that hold them."""
    return {"order": list(dict.fromkeys(entry for entry, _ in shown)), "instance_order": [pk for _, pk in shown]}
