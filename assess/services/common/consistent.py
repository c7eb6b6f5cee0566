"""Reading what people change while it is read."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def consistent() -> Iterator[None]:
    """All queries see the same moment. On SQLite this blocks all writers, so it must not take long.

    The level of isolation is set by SQL, because Django sets it only for all transactions of a database alias. A second
    alias would cost connections of its own, and each query would have to name it.
    """
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
