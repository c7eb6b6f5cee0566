"""Assessors' questions about a topic, and organizers' rulings."""

from django.db import models

from assess.models.campaign import Campaign, Topic
from assess.models.pool import Assignment, Instance, PoolEntry


class Ruling(models.Model):
    """A rule for judging a topic, or, if it has a ``campaign`` instead of a ``topic``, all topics of that campaign.
    Rows are only added: a change is a ruling that ``supersedes`` another. Each ruling increases
    `Topic.ruling_version` of its topics."""

    topic = models.ForeignKey(Topic, models.CASCADE, null=True, related_name="rulings")
    campaign = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="rulings")
    text = models.TextField()
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    supersedes = models.OneToOneField("self", models.CASCADE, null=True, related_name="superseded_by")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(topic=None) ^ models.Q(campaign=None), name="ruling_of_topic_or_campaign"
            )
        ]

    @property
    def about(self) -> Topic | Campaign:
        """Its topic, or the campaign all of whose topics it is about."""
        about = self.topic or self.campaign
        assert about is not None  # a constraint of the database
        return about


class Question(models.Model):
    """An assessor's question about a topic, asked at an entry of an assignment, perhaps about one document
    (``instance``). Rebuilding the pool removes these three but keeps the question. ``ruling`` is the current answer;
    None while the question is open."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="questions")
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.SET_NULL, null=True, related_name="questions")
    entry = models.ForeignKey(PoolEntry, models.SET_NULL, null=True, related_name="+")
    instance = models.ForeignKey(Instance, models.SET_NULL, null=True, related_name="+")
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    ruling = models.ForeignKey(Ruling, models.RESTRICT, null=True, related_name="questions")

    class Meta:
        ordering = ["-id"]


class RulingSeen(models.Model):
    """An assessor has read a ruling and reviewed what they had judged before it."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="rulings_seen")
    ruling = models.ForeignKey(Ruling, models.CASCADE, related_name="seen")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "ruling"], name="ruling_seen_once")]
