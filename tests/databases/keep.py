"""Keeps a small database of a release, from which `tests/test_upgrade.py` upgrades ever after. When a version is
released: ``python -m tests.databases.keep 0.1.0`` writes ``tests/databases/0.1.0.sql``."""

import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import django
from django.core.management import call_command

FOLDER = Path(__file__).parent


def keep_database(version: str) -> Path:
    """Write the lab of the tests, with its judgments, release and scores, as the SQL that makes its database."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"ASSESS_VAR": folder, "DJANGO_SETTINGS_MODULE": "assess.settings"}
        django.setup()
        call_command("migrate", verbosity=0)
        from django.contrib.auth.models import User

        from tests.lab import make_lab

        make_lab(Path(folder))
        User.objects.update(password="!")
        file = FOLDER / f"{version}.sql"
        with closing(sqlite3.connect(Path(folder) / "assess.sqlite3")) as database:
            file.write_text("\n".join(database.iterdump()) + "\n")
    return file


if __name__ == "__main__":
    sys.stdout.write(f"{keep_database(sys.argv[1])}\n")
