"""Threads: which of them a member may open, and what they contain."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from assess.models import Campaign, Collection, Instance, Member, Post, PostLink, Topic


class Neighbour(NamedTuple):
    """Another question that a thread links to; ``title`` is empty if its thread is not stored."""

    link: PostLink
    title: str
    is_open: bool


class Thread(NamedTuple):
    """A question (None if the collection lacks it) with its answers by score and its links."""

    question: Post | None
    answers: list[Post]
    neighbours: list[Neighbour]


def find_thread(campaign: Campaign, role: str, thread_id: str) -> Thread | None:
    """A thread, if it is stored and a member in this role may open it. At most six queries, whatever its length."""
    return assemble_thread(campaign, role, stored_posts(campaign.collection, thread_id), thread_id)


def thread_of_topic(topic: Topic, role: str) -> Thread | None:
    """The thread in which a topic was asked, if it was imported. It may link to threads of the collection."""
    posts = stored_posts(topic.campaign.topic_threads, topic.thread_id) if topic.thread_id else []
    return assemble_thread(topic.campaign, role, posts)


def assemble_thread(campaign: Campaign, role: str, posts: list[Post], thread_id: str = "") -> Thread | None:
    """The thread of these posts; None if there are none, or if the member may not open a thread of this id."""
    if not posts:
        return None
    question = next((post for post in posts if post.kind == Post.Kind.QUESTION), None)
    links = list(question.links.all()) if question else []
    related = [link.related_id for link in links]
    open_ids = open_threads(campaign, role, {thread_id, *related})
    if thread_id and thread_id not in open_ids:
        return None
    questions = Post.objects.filter(collection=campaign.collection, kind=Post.Kind.QUESTION, post_id__in=related)
    titles = dict(questions.values_list("post_id", "title"))
    open_ids &= titles.keys()
    neighbours = [Neighbour(link, titles.get(link.related_id, ""), link.related_id in open_ids) for link in links]
    return Thread(question, [post for post in posts if post.kind == Post.Kind.ANSWER], neighbours)


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
