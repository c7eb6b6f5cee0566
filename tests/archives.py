"""Zip archives for tests of uploads."""

import io
import zipfile
from collections.abc import Mapping


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            member = zipfile.ZipInfo(name or "x")
            member.filename, member.compress_type = name, zipfile.ZIP_DEFLATED
            with archive.open(member, "w") as file:  # takes any name, also none
                file.write(data.encode() if isinstance(data, str) else data)
    return buffer.getvalue()
