"""Who is signed in, in one short statement of our own: every request asks, and through the ORM the answer took a sixth
of the time of keeping a judgment (``python -m benchmarks.load``)."""

from contextvars import ContextVar
from copy import deepcopy
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, SESSION_KEY
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.core import signing
from django.db import connection
from django.utils import timezone

from assess.services.common import statements
from assess.services.common.statements import Statement

FIELDS = ("id", "password", "is_superuser", "username", "is_staff", "is_active")
"""Of a person, in the order of the model; the others are read when they are asked for."""
PERSON = Statement("person", f"SELECT {', '.join(FIELDS)} FROM auth_user WHERE id = %s")
SESSION = Statement(
    "session",
    f"SELECT session_data, {', '.join(FIELDS)} FROM django_session LEFT JOIN auth_user ON id = %s "
    "WHERE session_key = %s AND expire_date > %s",
)

EARLIER = "django.contrib.auth.backends.ModelBackend"
"""The backend of people who signed in before there was one here: an upgrade signs nobody out."""

BEFORE_PERSON = "_"
"""Stands in the name of a session before the number of the person who is signed in by it. That only says whom to look
up with the session: who is signed in is what the session says."""
MOST_DIGITS = 7

_found: ContextVar[User | None] = ContextVar("found", default=None)
"""The person found with the session of the request."""


class SessionStore(db.SessionStore):
    """Django's sessions in the database, named after the person too."""

    loaded: str | None = None

    def load(self) -> dict[str, Any]:
        _found.set(None)
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        found = statements.rows(SESSION, person_in(self.session_key or ""), self.session_key, now)
        if not found:
            self._session_key = None
            return {}
        (data, *person), *_ = found
        _found.set(person_of(person))
        self.loaded = self.session_key
        session: dict[str, Any] = self.decode(data)
        if session.get(BACKEND_SESSION_KEY) == EARLIER:
            session[BACKEND_SESSION_KEY] = "assess.services.common.signed_in.Backend"
        return session

    def decode(self, session_data: Any) -> dict[str, Any]:
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        try:
            return deepcopy(verified(session_data, keys))
        except Exception:  # Django says what it is, and takes it for a session that says nothing
            return super().decode(session_data)

    def save(self, must_create: bool = False) -> None:
        """Names a new session after whoever has just signed in; one that was found keeps its name."""
        person = str(self._get_session(no_load=must_create).get(SESSION_KEY, ""))  # type: ignore[attr-defined]
        unnamed = self.session_key
        if unnamed in (None, self.loaded) or person_in(f"{BEFORE_PERSON}{person}") in (0, person_in(unnamed)):
            super().save(must_create)
            return
        self._session_key = f"{self._get_new_session_key()}{BEFORE_PERSON}{person}"  # type: ignore[attr-defined]
        super().save(must_create=True)
        self.delete(unnamed)


@lru_cache(maxsize=1000)
def verified(session_data: str, _keys: tuple[str, ...]) -> dict[str, Any]:
    """What a session says whose signature holds by these keys: what was verified once is so for the next request."""
    store = db.SessionStore()
    said: dict[str, Any] = signing.loads(session_data, salt=store.key_salt, serializer=store.serializer)
    return said


def person_in(name: str) -> int:
    """The number of a person in the name of a session, 0 where there is none."""
    number = name.rpartition(BEFORE_PERSON)[2] if BEFORE_PERSON in name else ""
    return int(number) if number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS else 0


class Backend(ModelBackend):
    """Django's names and passwords."""

    def get_user(self, user_id: int) -> User | None:
        person = _found.get()
        _found.set(None)  # whoever asks once more wants to know anew
        if person is None or person.pk != user_id:
            person = person_of(next(iter(statements.rows(PERSON, user_id)), (None,)))
        return person if self.user_can_authenticate(person) else None


def person_of(columns: Any) -> User | None:
    return None if columns[0] is None else User.from_db(connection.alias, FIELDS, columns)
