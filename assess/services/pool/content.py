"""What an assessor is shown for a document, the same for the freeze, the page and the save; and in which order."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Container, Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import User

from assess.ir.rounds.allocation import presentation_order
from assess.models import Campaign, Instance, Judgment, Pool, Post, Topic, WrittenAnswer


class Card(NamedTuple):
    """One document: its post or written answer (neither if the text is missing), the hash of all that an assessor
    sees of it, and in an assignment the assessor's judgment, None if it is unjudged."""

    instance: Instance
    post: Post | None
    answer: WrittenAnswer | None
    content_hash: str
    judgment: Judgment | None = None

    @property
    def key(self) -> str:
        """Identifies the last decision about it, which the next one has to know."""
        return self.judgment.key if self.judgment else ""

    @property
    def body(self) -> str:
        source = self.post or self.answer
        return source.body if source else ""

    @property
    def highlight(self) -> tuple[str, ...]:
        return (self.instance.doc_id,) if self.instance.kind == Instance.Kind.FORMULA else ()


def cards_of(campaign: Campaign, topic: Topic, instances: Iterable[Instance]) -> list[Card]:
    """The documents of one topic, in the order given; two queries."""
    instances = list(instances)
    post_ids = [instance.post_id for instance in instances if instance.post_id]
    stored = Post.objects.filter(collection=campaign.collection_id, post_id__in=post_ids)
    posts = {post.post_id: post for post in stored}
    answers = written_answers(topic, instances)
    return [
        as_card(topic, instance, posts.get(instance.post_id), answers.get(instance.doc_id)) for instance in instances
    ]


def written_answers(topic: Topic, instances: Iterable[Instance]) -> dict[str, WrittenAnswer]:
    """Those that are among the documents; no query if there are none."""
    ids = [instance.doc_id for instance in instances if instance.kind == Instance.Kind.WRITTEN]
    answers = WrittenAnswer.objects.filter(topic=topic, doc_id__in=ids)
    return {answer.doc_id: answer for answer in answers} if ids else {}


def as_card(topic: Topic, instance: Instance, post: Post | None, answer: WrittenAnswer | None) -> Card:
    source = post or answer
    parts = [topic.topic_id, topic.title, topic.body, topic.formula_id, instance.kind, instance.doc_id]
    parts += [post.title if post else "", source.body if source else ""]
    if post and post.kind == Post.Kind.DOCUMENT:
        parts.append(post.url)
    for name, text in sorted(topic.fields.items()):  # PostgreSQL does not keep their order
        parts += [name, text]
    return Card(instance, post, answer, hashlib.sha256("\0".join(parts).encode()).hexdigest())


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
