"""Access to progress, agreement, releases and results, and their queries."""

import pytest

from assess.models import Evaluation, Qrels
from assess.services.agreement import agreement
from assess.services.releases import qrels
from assess.services.scores import evaluation
from tests.cast import on_progress
from tests.lab import Lab, client_of, queries
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


@pytest.mark.parametrize("name", STAFF)
def test_experts_see_neither_runs_nor_buttons(name: str, lab: Lab) -> None:
    page = client_of(lab.cast.kurt).get(url_of(name, lab)).content.decode()
    main = page[page.find("<main") :]
    assert "<form" not in main
    assert name == "release_manifest" or "alpha" not in main.replace("Krippendorff’s alpha", "")


@pytest.mark.parametrize("name", ["releases", "results", "evaluation", "progress", "agreement"])
def test_lists_take_no_query_per_row(name: str, lab: Lab) -> None:
    client = client_of(lab.cast.olga)
    before = queries(client, url_of(name, lab))
    for _ in range(5):
        agreement.report(lab.pool, on_progress)
        qrels.release(lab.pool, lab.cast.olga, on_progress)
        evaluation.evaluate(Qrels.objects.first(), "run", on_progress)
    assert Evaluation.objects.count() == 6
    assert queries(client, url_of(name, lab)) == before
