"""Failures of the machine, not of the program: they pass, and what failed can be tried again."""

import errno

from django.db import InterfaceError, InternalError, OperationalError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
READ_ONLY = "25006"
"""PostgreSQL's code for writing in a transaction that may only read."""
FAULTY = ("SQLITE_ERROR", "54")
"""Codes of databases for statements that fail each time: SQLite's for what it does not understand, PostgreSQL's class
of statements that are too large."""


def is_passing(error: BaseException | None) -> bool:
    """Whether the database or the disk is full, read-only, locked or away."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    if isinstance(error, InternalError):
        return code_of(error) == READ_ONLY
    return isinstance(error, OperationalError | InterfaceError) and not code_of(error).startswith(FAULTY)


def code_of(error: BaseException) -> str:
    """SQLite's name or PostgreSQL's code of an error; empty if it has none, as without a connection."""
    cause = error.__cause__
    return getattr(cause, "sqlite_errorname", "") or getattr(cause, "pgcode", "") or ""
