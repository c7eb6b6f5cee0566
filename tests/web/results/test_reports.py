"""What holds for progress, agreement, releases and results alike: who sees them, and few queries."""

import pytest
from django.urls import reverse

from assess.models import Evaluation, Job, Qrels
from assess.services.results import agreement, evaluation, qrels
from tests.cast import make_campaign, tell
from tests.lab import client_of, queries
from tests.web.reports import url_of

pytestmark = pytest.mark.django_db

STAFF = ["progress", "agreement", "agreement_report", "releases", "release", "release_protocol", "release_file"]
ORGANIZERS = ["results", "evaluation", "evaluation_file", "evaluation_run"]
POST = ["agreement_start", "release_start", "evaluation_start"]


def statuses(lab, url):
    """What everybody gets for an address, nobody being the one who is not signed in."""
    people = {**lab.cast._asdict(), "nobody": None}
    return {name: client_of(user).get(url).status_code for name, user in people.items() if name != "emmy"}


@pytest.mark.parametrize("name", STAFF)
def test_organizers_and_experts_follow_the_judging(name, lab):
    found = statuses(lab, url_of(name, lab))
    assert found == {"olga": 200, "kurt": 200, "ada": 403, "mallory": 404, "nobody": 302}


@pytest.mark.parametrize("name", ORGANIZERS)
def test_only_organizers_see_runs_and_results(name, lab):
    found = statuses(lab, url_of(name, lab))
    assert found == {"olga": 200, "kurt": 403, "ada": 403, "mallory": 404, "nobody": 302}


@pytest.mark.parametrize("name", POST)
def test_only_organizers_start_jobs(name, lab):
    given = {"qrels": lab.release.pk, "average": "qrels", "min_relevant": 0}
    for person, status in {"kurt": 403, "ada": 403, "mallory": 404, None: 302}.items():
        response = client_of(person and getattr(lab.cast, person)).post(url_of(name, lab), given)
        assert response.status_code == status, person
    assert not Job.objects.exists()
    assert client_of(lab.cast.olga).get(url_of(name, lab)).status_code == 405


@pytest.mark.parametrize("name", STAFF)
def test_experts_see_neither_runs_nor_buttons(name, lab):
    page = client_of(lab.cast.kurt).get(url_of(name, lab)).content.decode()
    main = page[page.find("<main") :]
    assert "<form" not in main
    assert name == "release_protocol" or "alpha" not in main


def test_outsiders_campaigns_do_not_mix(lab):
    other = make_campaign(name="Other")
    arguments = {"slug": other.slug, "pk": lab.evaluation.pk}
    assert client_of(lab.cast.olga).get(reverse("evaluation", kwargs=arguments)).status_code == 404
    arguments = {"slug": other.slug, "version": 1}
    assert client_of(lab.cast.olga).get(reverse("release", kwargs=arguments)).status_code == 404
    arguments = {"slug": other.slug, "pk": lab.report.pk}
    assert client_of(lab.cast.olga).get(reverse("agreement_report", kwargs=arguments)).status_code == 404


@pytest.mark.parametrize("name", ["releases", "results", "evaluation", "progress", "agreement"])
def test_lists_ask_no_query_per_row(name, lab):
    client = client_of(lab.cast.olga)
    before = queries(client, url_of(name, lab))
    for _ in range(5):
        agreement.report(lab.pool, tell, "host:1")
        qrels.release(lab.pool, lab.cast.olga, "host:1", tell)
        evaluation.evaluate(Qrels.objects.first(), "run", "host:1", tell)
    assert Evaluation.objects.count() == 6
    assert queries(client, url_of(name, lab)) == before
