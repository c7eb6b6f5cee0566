"""Who signs in from where: wrong passwords are counted, what happens is logged, and a session knows how it began."""

import logging
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt
from axes.signals import user_locked_out
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.db.models import Sum
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from assess.services.campaign.accounts import BEGAN
from assess.web.common.middleware import client_address

logger = logging.getLogger("assess.accounts")

WEIGHTS = {"username": 5, "ip_address": 10}
"""So many wrong passwords for a name from anywhere, or for any name from an address, count as one for a name from an
address."""


class SignInHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """Limits wrong passwords for a name from an address (`settings.AXES_FAILURE_LIMIT`), and with `WEIGHTS` those for a
    name from many addresses, and for many names from an address."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        failures: int = super().get_failures(request, credentials)
        recent = AccessAttempt.objects.filter(attempt_time__gte=get_cool_off_threshold(request))
        whose = {"username": get_client_username(request, credentials), "ip_address": client_address(request)}
        for field, value in whose.items():
            if value:
                total = recent.filter(**{field: value}).aggregate(total=Sum("failures_since_start"))["total"] or 0
                failures = max(failures, total // WEIGHTS[field])
        return failures


def origin(request: HttpRequest | None) -> str:
    return (client_address(request) if request else None) or "an unknown address"


@receiver(user_logged_in)
def note_sign_in(request: HttpRequest, user: User, **kwargs: Any) -> None:
    browser = request.META.get("HTTP_USER_AGENT", "")[:300]
    request.session[BEGAN] = {
        "at": timezone.now().isoformat(),
        "address": client_address(request) or "",
        "browser": browser,
    }
    logger.info("%r signed in from %s", user.get_username(), origin(request))


@receiver(user_login_failed)
def note_failed_sign_in(credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any) -> None:
    logger.warning("sign-in failed for %r from %s", credentials.get("username"), origin(request))


@receiver(user_locked_out)
def note_lock_out(request: HttpRequest, username: str, **kwargs: Any) -> None:
    logger.warning("%r is locked out from %s", username, origin(request))
