"""What an assessor is shown for a document: the same for the freeze, the page and the save."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from assess.models import Campaign, Instance, Judgment, Post, Topic, WrittenAnswer


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
    return Card(instance, post, answer, hashlib.sha256("\0".join(parts).encode()).hexdigest())
