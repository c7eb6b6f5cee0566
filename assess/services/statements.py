"""Statements of our own on the way of every judgment.

PostgreSQL is told each of them once for a connection and plans it no more after the first few times: to plan a join of
nine tables takes it longer than to make it.
"""

import re
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from django.db import Error, connection


class Statement(NamedTuple):
    """SQL with ``%s`` for its values, and the name by which PostgreSQL keeps it."""

    name: str
    sql: str


Part = tuple[Statement, Sequence[Any]]
"""A statement with its values."""

UNKNOWN_STATEMENT, KNOWN_STATEMENT, CHANGED_RESULT = "26000", "42P05", "0A000"
"""How PostgreSQL calls it."""
_known: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""The connections to PostgreSQL, and the statements that each has been told."""


def rows(statement: Statement, *values: Any) -> list[tuple[Any, ...]]:
    """What a statement finds."""
    return run((statement, values))


def run(*parts: Part) -> list[tuple[Any, ...]]:
    """Tells the database statements, PostgreSQL all of them at once; what the last one finds.

    PostgreSQL may have lost one (a pooler has reset the connection), know one that was told with others in vain, or no
    longer answer by one (a migration has changed a column): then it is told anew; inside a transaction, which is lost
    by then, for the next request.
    """
    if connection.vendor != "postgresql":
        return executed([(statement.sql, values) for statement, values in parts])
    try:
        return by_name(parts)
    except Error as error:
        if getattr(error.__cause__, "pgcode", "") not in (UNKNOWN_STATEMENT, KNOWN_STATEMENT, CHANGED_RESULT):
            raise
        _known.pop(connection.connection, None)
        if connection.in_atomic_block:
            raise
        return by_name(parts)


def by_name(parts: Sequence[Part]) -> list[tuple[Any, ...]]:
    tell([statement for statement, _ in parts])
    calls = "; ".join(f"EXECUTE {name} ({', '.join(['%s'] * len(values))})" for (name, _), values in parts)
    return executed([(calls, [value for _, values in parts for value in values])])


def tell(statements: Sequence[Statement]) -> None:
    """Tells a connection to PostgreSQL those that it does not know yet."""
    connection.ensure_connection()
    known = _known.get(connection.connection)
    new = [one for one in statements if known is None or one.name not in known]
    if not new:
        return
    told = ["DEALLOCATE ALL"] if known is None else []
    told += [f"PREPARE {name} AS {numbered(sql)}" for name, sql in new]
    with connection.wrap_database_errors, connection.connection.cursor() as cursor:
        cursor.execute("; ".join(told))
    _known.setdefault(connection.connection, set()).update(one.name for one in new)


def numbered(sql: str) -> str:
    """With ``$1``, ``$2`` for the values."""
    numbers = count(1)
    return re.sub("%s", lambda _: f"${next(numbers)}", sql)


def executed(calls: Sequence[tuple[str, Sequence[Any]]]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        for sql, values in calls:
            cursor.execute(sql, values)
        return list(cursor.fetchall()) if cursor.description else []
