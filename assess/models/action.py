"""What people did in a campaign."""

from django.db import models

from assess.models.campaign import Campaign


class Action(models.Model):
    """Something that a person did in a campaign, in the words of the message they got. Rows are only added. A worker's
    steps are recorded in its job, judgments in their events. ``place``: the page where it is seen, as the name of the
    page and what its address says besides the campaign; empty if there is none."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="actions")
    by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    text = models.TextField()
    place = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.by}: {self.text}"
