"""For whom a program acts, and what its token lets it do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from rest_framework import authentication, permissions
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from assess.models import ApiToken
from assess.services.campaign import accounts

if TYPE_CHECKING:  # its settings name this module
    from rest_framework.views import APIView

SCOPES = ApiToken.Scope.values
"""Each includes those before it."""


class BearerAuthentication(authentication.TokenAuthentication):
    """``Authorization: Bearer assess_…``: acts for the person who made the token."""

    keyword = "Bearer"

    def authenticate_credentials(self, key: str) -> tuple[User, ApiToken]:
        token = accounts.find_api_token(key)
        if token is None:
            raise AuthenticationFailed("This token is unknown, revoked or expired. Make another one on your account.")
        return token.user, token


class ScopeAllows(permissions.IsAuthenticated):
    """Everything for a session; a token needs the ``scope`` of the view to change something."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        is_reading = request.method in permissions.SAFE_METHODS
        needed = ApiToken.Scope.READ if is_reading else getattr(view, "scope", ApiToken.Scope.ORGANIZE)
        self.message = f"This needs a token with the scope “{needed}”."
        scope = request.auth.scope if isinstance(request.auth, ApiToken) else SCOPES[-1]
        return super().has_permission(request, view) and SCOPES.index(scope) >= SCOPES.index(needed)
