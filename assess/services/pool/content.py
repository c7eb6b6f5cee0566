"""What an assessor is shown for a document, the same for the freeze, the page and the save; and in which order."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Container, Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from assess.ir.rounds.allocation import presentation_order
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


class Presentation(NamedTuple):
    """The instances of each entry, all by their ids, in the order in which they are shown."""

    entries: dict[int, list[int]]

    @property
    def order(self) -> list[int]:
        return list(self.entries)

    @property
    def instance_order(self) -> list[int]:
        return [instance for instances in self.entries.values() for instance in instances]

    def only(self, chosen: Container[int]) -> Presentation:
        """These instances, without entries that have none of them."""
        kept = {entry: [pk for pk in instances if pk in chosen] for entry, instances in self.entries.items()}
        return Presentation({entry: instances for entry, instances in kept.items() if instances})


Documents = dict[str, tuple[int, dict[str, int]]]
"""Each unit of a topic with its entry and its documents, all by their ids."""


def documents_of_topics(pool: Pool, topics: Collection[int], version: int = 1) -> dict[int, Documents]:
    """The entries of these topics that were added by a version or later; topics without any are left out."""
    found: defaultdict[int, Documents] = defaultdict(dict)
    chosen = Instance.objects.filter(entry__pool=pool, entry__topic__in=topics, entry__version__gte=version)
    rows: Iterable[Any] = chosen.values_list("entry__topic", "entry__unit_id", "entry_id", "doc_id", "pk").order_by()
    for topic, unit_id, entry, doc_id, pk in rows:
        found[topic].setdefault(unit_id, (entry, {}))[1][doc_id] = pk
    return dict(found)


def presentation(pool: Pool, topic: Topic, assessor: User, version: int = 1) -> Presentation:
    """The entries since a version in random order, so that neither ranks nor votes show; another for each assessor."""
    return presentation_of(documents_of_topics(pool, [topic.pk], version).get(topic.pk, {}), pool, topic, assessor)


def presentation_of(documents: Documents, pool: Pool, topic: Topic, assessor: User) -> Presentation:
    def order(keys: Iterable[str], name: str) -> list[str]:
        return presentation_order(keys, pool.seed, assessor.username, name)

    shown: dict[int, list[int]] = {}
    for unit in order(documents, topic.topic_id):
        entry, instances = documents[unit]
        shown[entry] = [instances[doc_id] for doc_id in order(instances, f"{topic.topic_id} {unit}")]
    return Presentation(shown)
