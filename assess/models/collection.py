"""A collection, and those of its threads that are shown. The whole is stored in columns (`services.collection`)."""

from django.db import models

from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME


class Collection(models.Model):
    """What is searched: posts and formulas, or documents. Campaigns may share a collection.

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
        """Or documents, which are stored alike."""
        return not self.sources.keys().isdisjoint(("posts", "documents"))

    @property
    def has_formulas(self) -> bool:
        return "formulas" in self.sources


class Post(models.Model):
    """A question or answer of a thread that may be shown, or a document of another collection, which is a thread of
    its own. ``title`` and ``body`` are canonical HTML; ``url`` and ``language`` (of BCP 47) may be empty."""

    class Kind(models.TextChoices):
        QUESTION = "question", "Question"
        ANSWER = "answer", "Answer"
        DOCUMENT = "document", "Document"

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
    url = models.CharField(max_length=2000, blank=True, db_default="")
    language = models.CharField(max_length=20, blank=True, db_default="")

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


class PostLink(models.Model):
    """A question marked as related to, or as a duplicate of, another one."""

    post = models.ForeignKey(Post, models.CASCADE, related_name="links")
    related_id = models.CharField(max_length=LONGEST_ID)
    kind = models.CharField(max_length=10, choices=[("related", "Related"), ("duplicate", "Duplicate")])

    class Meta:
        ordering = ["kind", "id"]
        indexes = [models.Index(fields=["related_id"])]


class VisualMap(models.Model):
    """One version of a collection's map from formulas to visual ids (stored in columns, too:
    `services.formulas.visual_ids`), valid only for the formula index with ``index_sha256``.

    ``applied`` is empty until the version takes effect (a repair is reviewed first); ``base`` is the version it was
    made from. ``counts`` has the numbers of formulas and units, and for a repair what it changes ({"clusters": 12,
    "moved": 40, "joined": 3, "new": 11})."""

    class Kind(models.TextChoices):
        INDEX = "index", "From the index"
        COMPUTED = "computed", "Computed"
        REPAIR = "repair", "Repaired"

    class Scope(models.TextChoices):
        ALL = "all", "Every formula of the collection"
        SUBMITTED = "submitted", "Formulas that runs retrieved"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="visual_maps")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.ALL)
    base = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    index_sha256 = models.CharField(max_length=64)
    counts = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    applied = models.DateTimeField(null=True)
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["collection", "number"], name="visual_map_version_once")]

    def __str__(self) -> str:
        return f"Visual ids {self.number} ({self.get_kind_display().lower()})"
