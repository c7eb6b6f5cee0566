"""What people did in a campaign."""

from django.db import models

from assess.models.campaign import Campaign


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
