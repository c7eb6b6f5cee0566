"""A collection, and those of its threads that are shown. The whole is stored in columns (`services.collection`)."""

from django.db import models

from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME


class Collection(models.Model):
    """What is searched: posts and formulas. Campaigns may share a collection.

    ``counts`` has the number of rows imported ({"questions": 1666, …}), ``sources`` the files ({kind: {name, sha256}}).
    """

    name = models.CharField(max_length=LONGEST_NAME, unique=True)
    counts = models.JSONField(default=dict)
    sources = models.JSONField(default=dict)
    notes = models.JSONField(default=list)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def has_posts(self) -> bool:
        return "posts" in self.sources

    @property
    def has_formulas(self) -> bool:
        return "formulas" in self.sources


class Post(models.Model):
    """A question or answer of a thread that may be shown. ``title`` and ``body`` are canonical HTML."""

    class Kind(models.TextChoices):
        QUESTION = "question", "Question"
        ANSWER = "answer", "Answer"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="posts")
    post_id = models.CharField(max_length=LONGEST_ID)
    kind = models.CharField(max_length=10, choices=Kind)
    thread_id = models.CharField(max_length=LONGEST_ID)
    title = models.TextField(blank=True)
    body = models.TextField()
    tags = models.JSONField(default=list)
    score = models.IntegerField(null=True)
    written = models.CharField(max_length=30, blank=True)
    owner = models.CharField(max_length=LONGEST_NAME, blank=True)
    accepted_id = models.CharField(max_length=LONGEST_ID, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "post_id"], name="post_once")]
        indexes = [models.Index(fields=["collection", "thread_id"])]

    def __str__(self) -> str:
        return self.post_id


class Comment(models.Model):
    """A comment below a post of a shown thread."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="comments")
    comment_id = models.CharField(max_length=LONGEST_ID)
    text = models.TextField()
    score = models.IntegerField(null=True)
    written = models.CharField(max_length=30, blank=True)
    owner = models.CharField(max_length=LONGEST_NAME, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.comment_id


class PostLink(models.Model):
    """A question marked as related to, or as a duplicate of, another one."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="links")
    related_id = models.CharField(max_length=LONGEST_ID)
    kind = models.CharField(max_length=10, choices=[("related", "Related"), ("duplicate", "Duplicate")])

    class Meta:
        ordering = ["kind", "id"]
        indexes = [models.Index(fields=["related_id"])]

    def __str__(self) -> str:
        return f"{self.post} {self.kind} {self.related_id}"
