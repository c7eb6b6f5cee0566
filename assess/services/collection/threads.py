"""Threads: which of them a member may open, and what they contain."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from assess.models import Campaign, Collection, Instance, Member, Post, PostLink, Topic


class Neighbour(NamedTuple):
    """Another question that a thread links to; ``title`` is empty if its thread is not stored."""

    thread_id: str
    kind: str
    title: str
    is_open: bool


class Thread(NamedTuple):
    """A question (None if the collection lacks it) with its answers by score and its links."""

    question: Post | None
    answers: list[Post]
    neighbours: list[Neighbour]


def find_thread(campaign: Campaign, role: str, thread_id: str) -> Thread | None:
    """A thread, if it is stored and a member in this role may open it. At most six queries, whatever its length."""
    posts = stored_posts(campaign.collection, thread_id)
    open_ids = open_threads(campaign, role, {thread_id, *(link.related_id for link in links_of(posts))})
    return assemble_thread(campaign, posts, open_ids) if posts and thread_id in open_ids else None


def thread_of_topic(topic: Topic, role: str) -> Thread | None:
    """The thread in which a topic was asked, if it was imported. It may link to threads of the collection."""
    posts = stored_posts(topic.campaign.topic_threads, topic.thread_id) if topic.thread_id else []
    open_ids = open_threads(topic.campaign, role, {link.related_id for link in links_of(posts)})
    return assemble_thread(topic.campaign, posts, open_ids) if posts else None


def assemble_thread(campaign: Campaign, posts: list[Post], open_ids: set[str]) -> Thread:
    links = links_of(posts)
    questions = Post.objects.filter(collection=campaign.collection, kind=Post.Kind.QUESTION)
    related = questions.filter(post_id__in={link.related_id for link in links})
    title_of = dict(related.values_list("post_id", "title"))
    opened = open_ids & title_of.keys()
    neighbours = [
        Neighbour(link.related_id, link.kind, title_of.get(link.related_id, ""), link.related_id in opened)
        for link in links
    ]
    question = next((post for post in posts if post.kind == Post.Kind.QUESTION), None)
    return Thread(question, [post for post in posts if post.kind == Post.Kind.ANSWER], neighbours)


def links_of(posts: list[Post]) -> list[PostLink]:
    return [link for post in posts if post.kind == Post.Kind.QUESTION for link in post.links.all()]


def stored_posts(collection: Collection | None, thread_id: str) -> list[Post]:
    """The posts of a thread, the highest score first, then the oldest."""
    posts = Post.objects.filter(collection=collection, thread_id=thread_id).prefetch_related("comments", "links")
    return sorted(posts, key=lambda post: (-(post.score or 0), post.post_id.zfill(20)))


def open_threads(campaign: Campaign, role: str, thread_ids: set[str]) -> set[str]:
    """The threads that a member may open: organizers all of them; others those that contain a document of a frozen pool
    of the campaign, and those that such a thread links to. Two queries."""
    if role == Member.Role.ORGANIZER:
        return thread_ids
    links = PostLink.objects.filter(post__collection=campaign.collection, related_id__in=thread_ids)
    pairs = set(links.values_list("post__thread_id", "related_id"))
    pooled = threads_with_pooled(campaign, {*thread_ids, *(source for source, _ in pairs)})
    return (pooled & thread_ids) | {target for source, target in pairs if source in pooled}


def open_posts(campaign: Campaign, role: str, post_ids: set[str]) -> dict[str, str]:
    """The posts whose thread is stored and may be opened by a member, with the thread. Three queries."""
    if not post_ids:
        return {}
    posts = Post.objects.filter(collection=campaign.collection_id, post_id__in=post_ids)
    threads = dict(posts.values_list("post_id", "thread_id"))
    open_ids = open_threads(campaign, role, set(threads.values())) if threads else set()
    return {post: thread for post, thread in threads.items() if thread in open_ids}


def threads_with_pooled(campaign: Campaign, thread_ids: set[str]) -> set[str]:
    """The threads that contain a document of a frozen pool of the campaign."""
    pooled = Instance.objects.filter(
        post_id=OuterRef("post_id"), entry__pool__campaign=campaign, entry__pool__frozen__isnull=False
    )
    posts = Post.objects.filter(collection=campaign.collection, thread_id__in=thread_ids)
    return set(posts.filter(Exists(pooled)).values_list("thread_id", flat=True))
