"""Published files of the labs."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ASSESS_DATA", ROOT / "../shared/data")).resolve()


USERS: set[str] = set()
"""The ids of the tests that read real data, for the count at the end of `make test`."""


def data_file(path: str) -> Path:
    """A file of the labs; the test is skipped if it is missing."""
    USERS.add(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0])
    file = DATA / path
    if not file.exists():
        pytest.skip(f"no {path} in {DATA}: set ASSESS_DATA to the folder of the labs' files")
    return file
