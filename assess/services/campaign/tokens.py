"""Tokens with which programs act for a person at the API."""

import secrets
from datetime import timedelta
from hashlib import sha256

from django.contrib.auth.models import User
from django.utils import timezone

from assess.models import ApiToken

PREFIX = "assess_"
"""By it scanners recognize a token that was published by mistake."""
DAYS = (7, 30, 90, 365)
"""How long a token can be valid."""
USED_EVERY = timedelta(minutes=1)
"""Uses within such a time are noted once, so that reading rarely writes."""


def make_api_token(user: User, name: str, scope: str, days: int) -> tuple[ApiToken, str]:
    """A token and its secret, which is stored nowhere."""
    secret = PREFIX + secrets.token_urlsafe(32)
    expires = timezone.now() + timedelta(days=days)
    return user.api_tokens.create(name=name, scope=scope, expires=expires, digest=digest_of(secret)), secret


def digest_of(secret: str) -> str:
    """256 random bits need no slow hash: nobody can try them all."""
    return sha256(secret.encode()).hexdigest()


def find_api_token(secret: str) -> ApiToken | None:
    """The valid token with this secret, of a user who may sign in."""
    now = timezone.now()
    valid = ApiToken.objects.select_related("user").filter(expires__gt=now, user__is_active=True)
    token = valid.filter(digest=digest_of(secret)).first()
    if token and (token.last_used is None or token.last_used < now - USED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(last_used=now)
    return token
