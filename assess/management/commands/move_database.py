"""``manage.py move_database URL``: from SQLite to PostgreSQL, or back."""

from argparse import ArgumentParser
from typing import Any

import dj_database_url
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from assess.management.campaigns import OperatorCommand
from assess.management.supervision import only_one
from assess.services import backups
from assess.services.common.wording import number

TARGET = "target"


class Command(OperatorCommand):
    help = "Copy the database into another, empty one, such as from SQLite to PostgreSQL. Stop Assess first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url", help="postgresql://USER:PASSWORD@HOST:5432/NAME, or sqlite:////PATH")

    def handle(self, *, url: str, **options: Any) -> str:
        database: dict[str, Any] = dict(dj_database_url.parse(url))
        if database["ENGINE"].endswith("sqlite3"):
            database["OPTIONS"] = settings.SQLITE_OPTIONS
        connections.databases[TARGET] = connections.configure_settings(settings.DATABASES | {TARGET: database})[TARGET]
        with only_one(settings.VAR_DIR / "serve.lock"):
            rows = backups.move_database(DEFAULT_DB_ALIAS, TARGET)
        return f"{number(rows, 'row')} moved. Set DATABASE_URL to the new database; the media store stays."
