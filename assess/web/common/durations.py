"""Durations in words; also a library of template filters."""

from datetime import timedelta

from django import template
from django.utils.translation import gettext as _

register = template.Library()

STEPS = ((10, 1), (60, 5))
"""Below so many minutes, rounded to so many; above, to ten."""


@register.filter
def exactly(duration: timedelta | None) -> str:
    """A duration to the second: "0:07", "12:05", "1:02:03"; empty for None."""
    if duration is None:
        return ""
    minutes, seconds = divmod(int(duration.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


@register.filter
def roughly(seconds: float) -> str:
    """What is left of a job: to five seconds below a minute, else as `about_duration`."""
    return f"about {max(5, 5 * round(seconds / 5))} s" if seconds < 60 else about_duration(seconds)


def about_duration(seconds: float | None) -> str:
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
