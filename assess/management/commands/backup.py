"""``manage.py backup FOLDER``: the database, the media store and the key, at one time."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from assess.management.campaigns import OperatorCommand
from assess.management.output import positive
from assess.management.supervision import only_one
from assess.services import backups


class Command(OperatorCommand):
    help = (
        "Back up everything into a new folder of FOLDER, while Assess runs. Whoever can read it can sign in as anyone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="where backups are kept, outside ASSESS_VAR and the media store")
        parser.add_argument("--keep", type=positive, default=14, help="remove older ones (default: %(default)s)")

    def handle(self, *, folder: Path, keep: int, **options: Any) -> str:
        with only_one(folder / "lock", "A backup", "Wait for its end."):
            return str(backups.back_up(folder, keep))
