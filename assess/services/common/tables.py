"""Every table as a file, to back up a database or move it to another engine: a line for each row in the text format
of PostgreSQL's COPY, which SQLite writes and reads here, too; gzip, without a date, so that equal rows make equal
files."""

import gzip
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from assess.services.common.errors import Refused
from assess.services.common.wording import listed

BEGIN = {"sqlite": "BEGIN", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}
MADE_BY_MIGRATIONS = {"django_content_type", "auth_permission"}
NULL = r"\N"
ESCAPING = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
LETTERS = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
FROM_POSTGRESQL: dict[str, Callable[[str], Any]] = {
    "BooleanField": lambda text: text[0] in "tT",
    "DateTimeField": lambda text: text.removesuffix("+00"),
    "BinaryField": lambda text: bytes.fromhex(text[2:]),
    "UUIDField": lambda text: text.replace("-", ""),
}
"""How SQLite stores the kinds of fields that PostgreSQL writes otherwise; it reads numbers from text."""


def stored_models() -> list[type[Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if not model._meta.proxy]


def table_of(model: type[Model], using: str) -> str:
    return connections[using].ops.quote_name(model._meta.db_table)


def columns_of(model: type[Model], using: str, *fields: Any) -> str:
    """The columns of these fields, or of all."""
    quote = connections[using].ops.quote_name
    return ", ".join(quote(str(field.column)) for field in fields or model._meta.local_concrete_fields)


def table_file(folder: Path, model: type[Model]) -> Path:
    return folder / f"{model._meta.db_table}.gz"


@contextmanager
def snapshot(using: str) -> Iterator[list[str]]:
    """All reads of the block see the database as it is now, and hold nobody up; yields the migrations that it has."""
    with connections[using].cursor() as cursor:
        cursor.execute(BEGIN[connections[using].vendor])  # Django's own would take SQLite's write lock
        try:
            yield migrations_of(using)  # the first read takes the snapshot
        finally:
            cursor.execute("ROLLBACK")


def migrations_of(using: str) -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connections[using]).applied_migrations())


def write_tables(using: str, folder: Path) -> dict[str, int]:
    """Write the tables into a new folder, within a `snapshot`; returns the number of rows of each."""
    folder.mkdir()
    for model in stored_models():
        with table_file(folder, model).open("wb") as file, gzip.GzipFile("", "wb", 1, file, mtime=0) as packed:
            write_table(using, model, packed)
    return count_rows(using)


def write_table(using: str, model: type[Model], file: gzip.GzipFile) -> None:
    """The rows below the names of the columns: another version can have these in another order."""
    file.write(("\t".join(str(field.column) for field in model._meta.local_concrete_fields) + "\n").encode())
    key = columns_of(model, using, model._meta.pk)
    select = f"SELECT {columns_of(model, using)} FROM {table_of(model, using)} ORDER BY {key}"
    with connections[using].cursor() as cursor:
        if connections[using].vendor == "postgresql":
            cursor.copy_expert(f"COPY ({select}) TO STDOUT", file)
        else:
            for row in cursor.execute(select):
                file.write(("\t".join(map(as_text, row)) + "\n").encode())


def as_text(value: Any) -> str:
    if value is None:
        return NULL
    if isinstance(value, bytes):
        return rf"\\x{value.hex()}"
    return value.translate(ESCAPING) if isinstance(value, str) else str(value)


def read_tables(using: str, folder: Path, counts: dict[str, int]) -> None:
    """Replace all rows by those of the files, in one transaction. The tables are those of the migrations with which
    the files were written. Raises Refused if the numbers of rows differ from ``counts``, those of the files."""
    connection, models = connections[using], stored_models()
    with connection.constraint_checks_disabled(), transaction.atomic(using=using), connection.cursor() as cursor:
        keys = foreign_keys(using)
        for table, name, _ in keys:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        for model in models:
            cursor.execute(f"DELETE FROM {table_of(model, using)}")
        for model in models:
            with gzip.open(table_file(folder, model)) as file:
                read_table(using, model, file)
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
        for table, name, definition in keys:
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        connection.check_constraints()
        if differing := [table for table, count in count_rows(using).items() if counts.get(table) != count]:
            raise Refused(f"The numbers of rows of {listed(differing)} differ from those of the files.")


def foreign_keys(using: str) -> list[tuple[str, str, str]]:
    """Those of PostgreSQL, as table, name and definition: all rows are compared at once when a key is added, which
    takes a fraction of the time that it takes row by row. SQLite compares them at the end."""
    if connections[using].vendor != "postgresql":
        return []
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
        )
        keys: list[tuple[str, str, str]] = cursor.fetchall()
    return keys


def read_table(using: str, model: type[Model], file: gzip.GzipFile) -> None:
    known = {str(field.column): field for field in model._meta.local_concrete_fields}
    names = file.readline().decode().removesuffix("\n").split("\t")
    if known.keys() != set(names):
        raise Refused(f"The file of {model._meta.db_table} does not begin with its columns: an older version made it.")
    fields, connection = [known[name] for name in names], connections[using]
    table, columns = table_of(model, using), columns_of(model, using, *fields)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.copy_expert(f"COPY {table} ({columns}) FROM STDIN", file)
    else:
        readers = [FROM_POSTGRESQL.get(field.get_internal_type(), str) for field in fields]
        rows = (values_of(line.decode(), readers) for line in file)
        places = ", ".join("?" * len(readers))
        # Django's cursor would keep all rows in memory.
        connection.connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)


def values_of(line: str, readers: list[Callable[[str], Any]]) -> list[Any]:
    cells = zip(line.removesuffix("\n").split("\t"), readers, strict=True)
    return [None if cell == NULL else read(unescaped(cell)) for cell, read in cells]


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: LETTERS.get(match[1], match[1]), text) if "\\" in text else text


def count_rows(using: str) -> dict[str, int]:
    return {model._meta.db_table: model._base_manager.using(using).count() for model in stored_models()}


def is_empty(using: str) -> bool:
    """Whether the tables hold nothing but what the migrations put there."""
    return not any(count for table, count in count_rows(using).items() if table not in MADE_BY_MIGRATIONS)
