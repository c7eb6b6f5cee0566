"""The lab of `tests.lab`, made once by a process and put back for each test in a tenth of the time: its rows, the files
of its runs, and the objects as they were when it was made."""

import pickle
import shutil
from pathlib import Path

from django.contrib.auth.models import User
from django.db import connection, transaction

from assess.models import Campaign
from tests.lab import Lab, make_lab


class KeptLab:
    """Only on SQLite, where a key that a row brings along is never given again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with transaction.atomic():
            before = set(filled_tables())
            self.pickled = pickle.dumps(make_lab(folder))
            self.inserts = [insert_of(table) for table in filled_tables() if table not in before]
            transaction.set_rollback(True)

    def put_back(self, folder: Path) -> Lab:
        with connection.constraint_checks_disabled(), connection.cursor() as cursor:
            for insert in self.inserts:
                cursor.execute(insert)
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        lab: Lab = pickle.loads(self.pickled)
        return lab


def can_be_put_back() -> bool:
    """Into a database without people and campaigns, in a transaction that the end of the test takes back."""
    is_empty = not User.objects.exists() and not Campaign.objects.exists()
    return connection.vendor == "sqlite" and connection.in_atomic_block and is_empty


def filled_tables() -> list[str]:
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        return [table for table in tables if cursor.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()]


def insert_of(table: str) -> str:
    """The statement that puts back the rows of a table."""
    with connection.cursor() as cursor:
        columns = [column.name for column in connection.introspection.get_table_description(cursor, table)]
        literals = " || ',' || ".join(f'quote("{column}")' for column in columns)
        rows = cursor.execute(f'SELECT {literals} FROM "{table}"').fetchall()
    names = ",".join(f'"{column}"' for column in columns)
    return f'INSERT INTO "{table}" ({names}) VALUES ' + ",".join(f"({row})" for (row,) in rows)
