"""A campaign, its members, topics and history, and what is known of users beside the fields of Django's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from assess.ir.campaign.presets import stored_protocol
from assess.ir.campaign.protocol import Protocol
from assess.ir.campaign.scale import Words
from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME
from assess.ir.releases.release_options import KINDS

if TYPE_CHECKING:
    from assess.models.pool import Pool
    from assess.models.run import Run


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: AbstractBaseUser | AnonymousUser) -> Self:
        """The campaigns of which the user is a member; outsiders must not learn that others exist."""
        return self.filter(members__user_id=user.pk)


class Campaign(models.Model):
    """One task of one edition of a lab ("ARQMath-3 Task 1"). It owns everything below it.

    ``protocol`` holds the fields of `assess.ir.campaign.protocol.Protocol`; it can be changed until the pool is frozen.
    ``labels``: what labels in files with judgments made elsewhere mean (`services.pool.judgment_sources`).
    ``notice``: what its organizers last wrote to all members, who see it on their start page.
    ``topic_threads`` holds the threads in which the topics were asked, with what was answered in their year; campaigns
    of one edition may share it."""

    slug = models.SlugField(unique=True, max_length=60)
    name = models.CharField(max_length=LONGEST_NAME)
    edition = models.CharField(max_length=60, help_text="The lab and its year.")
    protocol = models.JSONField()
    labels = models.JSONField(default=dict)
    notice = models.TextField(blank=True, default="")
    seed = models.PositiveBigIntegerField(help_text="Settles every tie and every order that is left to chance.")
    collection = models.ForeignKey("Collection", models.PROTECT, null=True, blank=True, related_name="campaigns")
    topic_threads = models.ForeignKey(
        "Collection", models.SET_NULL, null=True, blank=True, related_name="campaigns_of_threads"
    )
    created = models.DateTimeField(auto_now_add=True)
    archived = models.DateTimeField(null=True)

    objects = CampaignQuerySet.as_manager()

    role = ""
    open_questions = 0
    """Of the person for whom `services.common.access` looked it up; how many questions wait for an organizer."""

    class Meta:
        ordering = ["-created", "-id"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.slug])

    @property
    def rules(self) -> Protocol:
        return stored_protocol(self.protocol)

    @property
    def words(self) -> Words:
        """What its pages call what is judged."""
        return self.rules.words

    @property
    def is_formulas(self) -> bool:
        return self.rules.kind.has_formulas

    @property
    def has_visual_ids(self) -> bool:
        return self.rules.has_visual_ids

    @property
    def awaited(self) -> int:
        """How many people were invited to judge and have neither accepted nor declined."""
        return self.invitations.filter(declined=None).exclude(role=Member.Role.ORGANIZER).count()

    def entered_runs(self) -> models.QuerySet[Run]:
        """Those that results show and folders of releases have: all that are not withdrawn."""
        return self.runs.filter(withdrawn=None)

    def pooled_runs(self) -> models.QuerySet[Run]:
        """Those that its next pool is made of."""
        return self.runs.exclude(pool_role__in=self.rules.left_out)

    def current_pool(self) -> Pool | None:
        """The latest pool, frozen or not."""
        return self.pools.order_by("-version").first()

    def frozen_pool(self) -> Pool | None:
        """The pool that is being judged."""
        return self.pools.filter(frozen__isnull=False).order_by("-version").first()


class Member(models.Model):
    """A user with a role in a campaign. A candidate takes part in qualification rounds only, until admitted.
    ``team``: the participating team to which the person belongs; ``own_topics``: the ids of topics that they wrote, or
    should not judge for another reason."""

    class Role(models.TextChoices):
        ORGANIZER = "organizer", _("Organizer")
        ASSESSOR = "assessor", _("Assessor")
        EXPERT = "expert", _("Expert")
        CANDIDATE = "candidate", _("Candidate")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="members")
    user = models.ForeignKey("auth.User", models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    team = models.CharField(max_length=LONGEST_NAME, blank=True)
    own_topics = models.JSONField(default=list)

    class Meta:
        ordering = ["role", "user__username"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="one_role_each"),
            models.CheckConstraint(
                condition=models.Q(role__in=["organizer", "assessor", "expert", "candidate"]), name="known_role"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.get_role_display()})"


class Invitation(models.Model):
    """A campaign's offer of a role, until its user accepts it and becomes a member. ``declined``: when they declined;
    the organizers see it until they remove it or ask again."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    user = models.ForeignKey("auth.User", models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Member.Role)
    invited_by = models.ForeignKey("auth.User", models.CASCADE, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    declined = models.DateTimeField(null=True)

    class Meta:
        ordering = ["user__username"]
        constraints = [models.UniqueConstraint(fields=["campaign", "user"], name="invited_once")]


class TestTopics(models.Manager["Topic"]):
    """Without the topics of training and qualification rounds."""

    def get_queryset(self) -> models.QuerySet[Topic]:
        return super().get_queryset().filter(is_training=False)


class Topic(models.Model):
    """An information need. ``title`` and ``body`` are canonical HTML (`ir.collection.html`), and so are ``fields``, its
    other texts by name ({"description": …}); ``thread_id`` is the id of its thread in the campaign's ``topic_threads``,
    empty if they lack it; ``ruling_version`` counts the rulings ever made for it (`models.judging`). ``is_training``:
    of another edition, only for training and qualification.
    ``category``, ``difficulty`` and ``dependency`` are the lab's words from its topic sheet, ``sheet`` holds its other
    columns. ``kind`` and ``kind_reason``: chosen by the organizers; empty if the rule holds."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="topics")
    topic_id = models.CharField(max_length=LONGEST_ID)
    number = models.PositiveIntegerField(help_text="The number in the id, for sorting.")
    title = models.TextField()
    body = models.TextField()
    fields = models.JSONField(default=dict)
    tags = models.JSONField(default=list)
    formula_id = models.CharField(max_length=LONGEST_ID, blank=True)
    latex = models.TextField(blank=True)
    thread_id = models.CharField(max_length=LONGEST_ID, blank=True)
    category = models.CharField(max_length=60, blank=True)
    difficulty = models.CharField(max_length=60, blank=True)
    dependency = models.CharField(max_length=60, blank=True)
    sheet = models.JSONField(default=dict)
    kind = models.CharField(max_length=20, choices=list(KINDS.items()), blank=True)
    kind_reason = models.CharField(max_length=500, blank=True)
    ruling_version = models.PositiveIntegerField(default=0)
    is_training = models.BooleanField(default=False)

    objects = TestTopics()
    every = models.Manager["Topic"]()

    class Meta:
        ordering = ["number", "topic_id"]
        constraints = [models.UniqueConstraint(fields=["campaign", "topic_id", "is_training"], name="topic_once")]

    def __str__(self) -> str:
        return self.topic_id

    def get_absolute_url(self) -> str:
        return reverse("topic", args=[self.campaign.slug, self.topic_id])


class Account(models.Model):
    """``made_by``: the organizer who made it, who alone may have it claimed while it has no password. ``links`` counts
    the one-time links made for it: only the newest works (`services.campaign.accounts`). ``reminders``: by mail."""

    user = models.OneToOneField("auth.User", models.CASCADE, related_name="account")
    made_by = models.ForeignKey("auth.User", models.SET_NULL, null=True, related_name="+")
    links = models.PositiveIntegerField(default=0)
    reminders = models.BooleanField(default=True)


class ApiToken(models.Model):
    """What a program shows instead of a password, to act for a user. Nobody but its holder has it: ``digest`` is its
    SHA-256. A ``scope`` includes those before it."""

    class Scope(models.TextChoices):
        READ = "read", _("Read")
        JUDGE = "judge", _("Read and judge")
        ORGANIZE = "organize", _("Read, judge and organize")

    user = models.ForeignKey("auth.User", models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=LONGEST_NAME)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=Scope)
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    last_used = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]


class Action(models.Model):
    """Something that a person did in a campaign. Rows are only added, by the service that does it, in its transaction
    (`services.common.history.note`). A worker's steps are recorded in its job, judgments in their events.
    ``objects_named``: what it was done to, in words; ``place``: the page where it is seen, as the name of the page and
    what its address says besides the campaign."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="actions")
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    action = models.TextField()
    objects_named = models.JSONField(default=list)
    reason = models.TextField(blank=True)
    place = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        """The sentence on the page that did it, and in the history."""
        named = f": {'; '.join(self.objects_named)}" if self.objects_named else ""
        return f"{self.action}{named}." + (f" Reason: “{self.reason}”." if self.reason else "")
