"""Files of the server that a request names."""

from pathlib import Path

from django.conf import settings
from django.core.exceptions import ValidationError


def server_file(text: str) -> Path:
    """The path of a file in the server's import folder. Raises ValidationError for anything else, with the same
    message whether it exists or not."""
    root: Path | None = settings.IMPORT_DIR
    path = (root / text).resolve() if root else None
    if not root or not path or not path.is_relative_to(root) or not path.is_file():
        raise ValidationError(f"The server's import folder has no file {text}.")
    return path
