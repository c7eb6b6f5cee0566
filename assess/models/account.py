"""What is known of a user's account beside the fields of Django's."""

from django.db import models


class Account(models.Model):
    """``made_by``: the organizer who made it, who alone may have it claimed while it has no password. ``links`` counts
    the one-time links made for it: only the newest works (`services.campaign.accounts`)."""

    user = models.OneToOneField("auth.User", models.CASCADE, related_name="account")
    made_by = models.ForeignKey("auth.User", models.SET_NULL, null=True, related_name="+")
    links = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"account of {self.user}"
