"""Errors for the person whose request cannot be met now."""

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from assess.models import Judgment


class Refused(Exception):
    """The step cannot be taken; the text says why and what to do instead."""


class Archived(Refused, PermissionDenied):
    """Nothing in an archived campaign can change."""

    def __init__(self, campaign: object) -> None:
        text = _("%(campaign)s is archived, so nothing in it can change. An organizer can bring it back (Settings).")
        super().__init__(text % {"campaign": campaign})


class Conflict(Refused):
    """The judgment of a document has changed meanwhile; ``standing``: the current one, None if it was taken back."""

    def __init__(self, instance_id: int, standing: Judgment | None) -> None:
        was_judged = _("This was judged in another window or on another device since you opened it.")
        was_taken_back = _("This was taken back in another window or on another device since you opened it.")
        super().__init__(was_judged if standing else was_taken_back)
        self.instance_id, self.standing = instance_id, standing
