"""Published files of the labs."""

import csv
import os
import re
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


COUNTED = {
    "r6": "101111000110101111101111001010000",
    "r7": "01000100001110111011010011111001101111110101100001101011100111110101010011101100101101100111100110110",
}
"""Which of two different labels of a passage is in the published kappas, 0 or 1, passage by passage: the file has both,
sorted. It is found from the published digits: with this choice all 13 pairs of the two have them."""


def passage_grades() -> dict[tuple[str, str, str, str], int]:
    """The grades of the eight judges of `labs/passages`, by round, assessor, topic and passage; a line without a label,
    and one with two, gives none."""
    labels: dict[tuple[str, ...], list[int]] = {}
    with data_file("labs/passages/labels.tsv").open() as source:
        for *place, label in csv.reader(source, delimiter="\t"):
            if one := re.fullmatch(r"[^|]+\((\d)\)", label):
                labels.setdefault(tuple(place), []).append(int(one[1]))
    counted = {assessor: map(int, places) for assessor, places in COUNTED.items()}
    grades = {
        (name, assessor, topic, passage): given[next(counted[assessor]) if len({*given}) > 1 else 0]
        for (name, assessor, topic, passage), given in labels.items()
    }
    assert [list(left) for left in counted.values()] == [[], []]
    return grades
