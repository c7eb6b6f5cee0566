"""Many rows at once, without an object for each: about three times as fast as Django's ``bulk_create``."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

PAGE = 1_000
SAMPLE = 1_000
"""Of so many rows of each index SQLite makes its statistics, so that they take milliseconds."""


def insert(model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values in the order of the field ``names``, as the database stores them (JSON as text). Every
    field that has no default in the database must be named."""
    quote = connection.ops.quote_name
    columns = ", ".join(quote(model._meta.get_field(name).column) for name in names)  # type: ignore[union-attr,arg-type]
    places = ", ".join(["%s"] * len(names))
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Several rows in one round trip to the server.
            from psycopg2.extras import execute_batch

            execute_batch(cursor, sql, rows, page_size=PAGE)
        else:
            cursor.executemany(sql, rows)  # type: ignore[arg-type]  # any iterable


def refresh_statistics() -> None:
    """Have SQLite count its rows, or it reads those of all campaigns to find those of one."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA analysis_limit={SAMPLE}")
            cursor.execute("ANALYZE")
