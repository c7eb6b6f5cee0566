"""``manage.py restore FOLDER``: a backup into a new installation."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from assess.management.campaigns import OperatorCommand
from assess.management.supervision import only_one
from assess.services import backups


class Command(OperatorCommand):
    help = "Restore a backup into an empty database and media store, of either engine, with the version that made it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="a backup, or the folder of backups: then the newest of them")

    def handle(self, *, folder: Path, **options: Any) -> str:
        with only_one(settings.VAR_DIR / "serve.lock"):
            made = backups.restore(folder)
        key = made.folder / backups.KEY
        if os.environ.get("SECRET_KEY", "") not in ("", key.read_text()):
            self.stderr.write(f"SECRET_KEY differs: set it to the text of {key}, or everybody has to sign in again.")
        return f"Restored {made}"
