"""What experts see of progress, agreement and releases."""

import pytest

from tests.lab import Lab, client_of
from tests.web.reports import url_of

pytestmark = pytest.mark.django_db

STAFF = [
    "progress",
    "agreement",
    "agreement_report",
    "agreement_pair",
    "releases",
    "release",
    "release_manifest",
    "release_file",
]


def test_experts_see_neither_runs_nor_buttons(lab: Lab) -> None:
    for name in STAFF:
        page = client_of(lab.cast.kurt).get(url_of(name, lab)).content.decode()
        main = page[page.find("<main") :]
        assert "<form" not in main, name
        assert name == "release_manifest" or "alpha" not in main.replace("Krippendorff’s alpha", ""), name
