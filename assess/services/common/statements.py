"""Statements of our own on the way of every judgment.

PostgreSQL is told each of them once for a connection and plans it no more after the first few times: to plan a join of
nine tables takes it longer than to make it.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from django.db import DEFAULT_DB_ALIAS as ALIAS
from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper


class Statement(NamedTuple):
    """SQL with ``%s`` for its values, and the name by which PostgreSQL keeps it."""

    name: str
    sql: str


Part = tuple[Statement, Sequence[Any]]
"""A statement with its values."""
Rows = list[tuple[Any, ...]]
"""What a statement finds."""

UNKNOWN_STATEMENT, KNOWN_STATEMENT, CHANGED_RESULT = "26000", "42P05", "0A000"
"""How PostgreSQL calls it."""
_known: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""The connections to PostgreSQL, and the statements that each has been told."""


def rows(statement: Statement, *values: Any) -> Rows:
    """What a statement finds."""
    return run((statement, values))


def run(*parts: Part) -> Rows:
    """Tells the database statements, PostgreSQL all of them at once; what the last one finds.

    PostgreSQL may have lost one (a pooler has reset the connection), know one that was told with others in vain, or no
    longer answer by one (a migration has changed a column): then it is told anew; inside a transaction, which is lost
    by then, for the next request.
    """
    here = connections[ALIAS]  # once: whoever asks `django.db.connection` for it asks for the thread each time
    if here.vendor != "postgresql":
        return executed(here, [(statement.sql, values) for statement, values in parts])
    try:
        return by_name(here, parts)
    except Error as error:
        if getattr(error.__cause__, "pgcode", "") not in (UNKNOWN_STATEMENT, KNOWN_STATEMENT, CHANGED_RESULT):
            raise
        _known.pop(here.connection, None)
        if here.in_atomic_block:
            raise
        return by_name(here, parts)


def by_name(here: BaseDatabaseWrapper, parts: Sequence[Part]) -> Rows:
    tell(here, [statement for statement, _ in parts])
    calls = "; ".join(call(statement) for statement, _ in parts)
    return executed(here, [(calls, [value for _, values in parts for value in values])])


@cache
def call(statement: Statement) -> str:
    return f"EXECUTE {statement.name} ({', '.join(['%s'] * statement.sql.count('%s'))})"


def tell(here: BaseDatabaseWrapper, statements: Sequence[Statement]) -> None:
    """Tells a connection to PostgreSQL those that it does not know yet."""
    here.ensure_connection()
    known = _known.get(here.connection)
    new = [one for one in statements if known is None or one.name not in known]
    if not new:
        return
    told = ["DEALLOCATE ALL"] if known is None else []
    told += [f"PREPARE {name} AS {numbered(sql)}" for name, sql in new]
    with here.wrap_database_errors, here.connection.cursor() as cursor:
        cursor.execute("; ".join(told))
    _known.setdefault(here.connection, set()).update(one.name for one in new)


def numbered(sql: str) -> str:
    """With ``$1``, ``$2`` for the values."""
    numbers = count(1)
    return re.sub("%s", lambda _: f"${next(numbers)}", sql)


def executed(here: BaseDatabaseWrapper, calls: Sequence[tuple[str, Sequence[Any]]]) -> Rows:
    with here.cursor() as cursor:
        for sql, values in calls:
            cursor.execute(sql, values)
        return list(cursor.fetchall()) if cursor.description else []
