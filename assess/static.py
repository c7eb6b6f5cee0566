"""Static files are stored under names with a hash, so that browsers may keep them forever."""

from django.core.files.base import File
from whitenoise.storage import CompressedManifestStaticFilesStorage

UNHASHED = "mathjax-"


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Hashes every file but MathJax's, which finds its own parts by their plain names."""

    def hashed_name(self, name: str, content: "File[bytes] | None" = None, filename: str | None = None) -> str:
        if name.startswith(UNHASHED):
            return name
        return str(super().hashed_name(name, content, filename))
