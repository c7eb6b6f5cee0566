"""Access to progress, agreement, releases and results, and their queries."""

import pytest

from assess.models import Evaluation, Job, Qrels
from assess.services.agreement import agreement
from assess.services.releases import qrels
from assess.services.scores import evaluation
from tests.cast import make_campaign, on_progress
from tests.lab import Lab, client_as, client_of, queries
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
ORGANIZERS = ["disagreements", "results", "evaluation", "evaluation_file", "evaluation_run", "evaluation_run_file"]
POST = ["agreement_start", "release_start", "evaluation_start"]


def statuses(lab: Lab, url: str) -> dict[str, int]:
    """By person; "nobody" is not signed in."""
    people = {**lab.cast._asdict(), "nobody": None}
    return {name: client_of(user).get(url).status_code for name, user in people.items() if name != "emmy"}


@pytest.mark.parametrize("name", STAFF)
def test_organizers_and_experts_see_progress_and_releases(name: str, lab: Lab) -> None:
    assert statuses(lab, url_of(name, lab)) == {"olga": 200, "kurt": 200, "ada": 403, "mallory": 404, "nobody": 302}


@pytest.mark.parametrize("name", ORGANIZERS)
def test_only_organizers_see_runs_and_results(name: str, lab: Lab) -> None:
    assert statuses(lab, url_of(name, lab)) == {"olga": 200, "kurt": 403, "ada": 403, "mallory": 404, "nobody": 302}


@pytest.mark.parametrize("name", POST)
def test_only_organizers_start_jobs(name: str, lab: Lab) -> None:
    sent = {"qrels": lab.release.pk, "average": "qrels", "min_relevant": 0}
    for person, status in {"kurt": 403, "ada": 403, "mallory": 404, None: 302}.items():
        response = client_as(lab.cast, person).post(url_of(name, lab), sent)
        assert response.status_code == status, person
    assert not Job.objects.exists()
    assert client_of(lab.cast.olga).get(url_of(name, lab)).status_code == 405


@pytest.mark.parametrize("name", STAFF)
def test_experts_see_neither_runs_nor_buttons(name: str, lab: Lab) -> None:
    page = client_of(lab.cast.kurt).get(url_of(name, lab)).content.decode()
    main = page[page.find("<main") :]
    assert "<form" not in main
    assert name == "release_manifest" or "alpha" not in main.replace("Krippendorff’s alpha", "")


def test_a_report_is_not_found_in_another_campaign(lab: Lab) -> None:
    other = make_campaign(name="Other")
    for name in ("evaluation", "release", "agreement_report", "agreement_pair"):
        assert client_of(lab.cast.olga).get(url_of(name, lab, slug=other.slug)).status_code == 404


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
