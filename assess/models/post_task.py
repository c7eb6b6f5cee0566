"""Assessors' replies about written answers of judged topics (Task 3; Mansouri et al., CLEF 2022, 6.4.3)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from assess.models.pool import Assignment, Instance


class PostTask(models.Model):
    """Replies to two questions about a written answer. Rows are only added; the latest of an assignment and instance
    counts. ``machine``: does it seem to have been written by a machine? ``unrelated``: does it contain information
    unrelated to the question?"""

    class Reply(models.TextChoices):
        YES = "yes", _("Yes")
        NO = "no", _("No")
        CANNOT_TELL = "cannot_tell", _("Cannot tell")

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="post_tasks")
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="post_tasks")
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    machine = models.CharField(max_length=12, choices=Reply)
    unrelated = models.CharField(max_length=12, choices=Reply)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    machine__in=["yes", "no", "cannot_tell"], unrelated__in=["yes", "no", "cannot_tell"]
                ),
                name="known_reply",
            )
        ]

    def __str__(self) -> str:
        return f"{self.instance}: machine {self.machine}, unrelated {self.unrelated}"
