"""Durations in words."""

from django.utils.translation import gettext as _

STEPS = ((10, 1), (60, 5))
"""Below so many minutes, rounded to so many; above, to ten."""


def about(seconds: float | None) -> str:
    """An estimate, coarsely rounded: "about 4 min", "about 35 min", "about 2 h 10 min"; empty for None."""
    if seconds is None:
        return ""
    minutes = seconds / 60
    step = next((step for most, step in STEPS if minutes < most), 10)
    rounded = max(step * round(minutes / step), 1)
    hours, rest = divmod(rounded, 60)
    if not hours:
        return _("about %(minutes)d min") % {"minutes": rest}
    if not rest:
        return _("about %(hours)d h") % {"hours": hours}
    return _("about %(hours)d h %(minutes)d min") % {"hours": hours, "minutes": rest}
