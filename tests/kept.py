"""Labs that a process makes once and puts back for each further test in a tenth of the time: their rows, their files,
and the objects as they were when they were made."""

import pickle
import shutil
import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.color import no_style
from django.db import connection, transaction

from assess.models import Campaign

P = ParamSpec("P")
T = TypeVar("T")


def kept(make: Callable[P, T]) -> Callable[P, T]:
    """The function puts back what it made before from the same arguments; the folder among them may be another. Only
    into a database without people and campaigns, in a transaction that the end of the test takes back. The keys that
    the rows bring along are never given again: a sequence of PostgreSQL, which a restored backup may have set back, is
    put after the largest, as SQLite does by itself."""
    labs: dict[tuple[Any, ...], Kept] = {}

    @wraps(make)
    def put_back(*args: P.args, **kwargs: P.kwargs) -> T:
        if not can_be_put_back():
            return make(*args, **kwargs)
        folder = next((each for each in args if isinstance(each, Path)), None)
        key = (*(each for each in args if each != folder), *kwargs.items())
        if key not in labs:
            home = Path(tempfile.mkdtemp(dir=settings.VAR_DIR))
            renamed: Any = (home / "folder" if each == folder else each for each in args)
            labs[key] = Kept(home, lambda: make(*renamed, **kwargs))
        return labs[key].put_back(folder)

    return put_back


class Kept:
    """What a function made: ``folder`` and ``media`` hold the files that it wrote into the test's folder and into the
    media store."""

    def __init__(self, home: Path, make: Callable[[], Any]) -> None:
        self.folder, self.media = home / "folder", home / "media"
        self.folder.mkdir()
        with transaction.atomic():
            before = set(filled_tables())
            self.pickled = pickle.dumps(make())
            tables = [table for table in filled_tables() if table not in before]
            models = [model for model in apps.get_models(include_auto_created=True) if model._meta.db_table in tables]
            self.inserts = [insert_of(table) for table in tables]
            self.inserts += connection.ops.sequence_reset_sql(no_style(), models)
            transaction.set_rollback(True)
        if settings.MEDIA_ROOT.exists():
            shutil.move(settings.MEDIA_ROOT, self.media)

    def put_back(self, folder: Path | None) -> Any:
        with connection.constraint_checks_disabled(), connection.cursor() as cursor:
            for insert in self.inserts:
                cursor.execute(insert)
        for kept_files, place in ((self.folder, folder), (self.media, settings.MEDIA_ROOT)):
            if place and kept_files.exists():
                shutil.copytree(kept_files, place, dirs_exist_ok=True)
        return pickle.loads(self.pickled)


def can_be_put_back() -> bool:
    if not connection.in_atomic_block or settings.MEDIA_ROOT.exists():
        return False
    return not User.objects.exists() and not Campaign.objects.exists()


def filled_tables() -> list[str]:
    with connection.cursor() as cursor:
        tables = [name for name in connection.introspection.table_names(cursor) if not name.startswith("sqlite_")]
        found = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in tables)
        cursor.execute(found)
        return [table for (table,) in cursor.fetchall()]


def insert_of(table: str) -> str:
    """The statement that puts back the rows of a table."""
    with connection.cursor() as cursor:
        columns = [column.name for column in connection.introspection.get_table_description(cursor, table)]
        literal = 'quote("{}")' if connection.vendor == "sqlite" else 'quote_nullable("{}"::text)'
        literals = " || ',' || ".join(map(literal.format, columns))
        cursor.execute(f'SELECT {literals} FROM "{table}"')
        rows = cursor.fetchall()
    names = ",".join(f'"{column}"' for column in columns)
    return f'INSERT INTO "{table}" ({names}) VALUES ' + ",".join(f"({row})" for (row,) in rows)
