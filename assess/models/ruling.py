"""Questions of assessors about a topic, and what organizers rule."""

from django.db import models

from assess.models.campaign import Topic
from assess.models.pool import Assignment, Instance, PoolEntry


class Ruling(models.Model):
    """What holds for a topic from now on. Rows are only ever added: a change is a ruling that ``supersedes`` another.
    With each one `Topic.ruling_version` grows."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="rulings")
    text = models.TextField()
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    supersedes = models.OneToOneField("self", models.CASCADE, null=True, related_name="superseded_by")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.topic}: {self.text[:60]}"


class Question(models.Model):
    """What an assessor wants to know about a topic, asked at an entry of an assignment; ``instance`` is the document
    it was asked at. A pool that is built anew takes these three away, not the question. ``ruling`` is the answer as it
    holds now, none while the question is open."""

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

    def __str__(self) -> str:
        return f"{self.topic}: {self.text[:60]}"


class RulingSeen(models.Model):
    """An assessor has read a ruling, and looked again at what they had judged before it."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="rulings_seen")
    ruling = models.ForeignKey(Ruling, models.CASCADE, related_name="seen")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "ruling"], name="ruling_seen_once")]

    def __str__(self) -> str:
        return f"{self.assignment}: {self.ruling}"
