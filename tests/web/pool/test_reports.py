"""The report on a pool as a page and as files."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from assess.models import Campaign, Job, Pool
from assess.services.pool import pools, reports
from benchmarks.parts import address_of
from tests.cast import make_cast, on_progress
from tests.lab import client_of, make_shallow_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_shallow_campaign(tmp_path)
    make_cast(campaign)
    return campaign


@pytest.fixture
def pool(campaign: Campaign) -> Pool:
    pool = pools.build(campaign, on_progress)
    reports.make_report(pool, on_progress)
    return pool


def url_of(name: str, pool: Pool, /, **arguments: str) -> str:
    return address_of(name, slug=pool.campaign.slug, version=pool.version, **arguments)


def page_of(pool: Pool, person: User) -> str:
    response = client_of(person).get(url_of("pool_report", pool))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def text_of(pool: Pool, name: str) -> str:
    response = client_of(make_cast().olga).get(url_of("pool_report_file", pool, name=name))
    assert response.status_code == 200
    assert f".pool-{pool.version}.{name}" in response["Content-Disposition"]
    return response.content.decode()


def test_the_report_is_made_by_a_job_that_links_to_it(campaign: Campaign) -> None:
    pool = pools.build(campaign, on_progress)
    olga = make_cast().olga
    assert url_of("pool_report_make", pool) in page_of(pool, olga)
    client_of(olga).post(url_of("pool_report_make", pool))
    job = Job.objects.get()
    assert (job.kind, job.params) == ("pool_report", {"pool": pool.pk})
    Job.objects.update(state=Job.State.DONE, result={"report_on": pool.version})
    assert url_of("pool_report", pool) in client_of(olga).get(reverse("job", args=[job.pk])).content.decode()


def test_the_page_has_sizes_contributions_and_checks(pool: Pool) -> None:
    page = page_of(pool, make_cast().olga)
    assert "2 answers for 1 topic" in page
    assert "2.00 on average" in page
    assert re.search(r'<th scope="row">alpha</th>\s*<td>Alpha</td>\s*<td>primary</td>', page)
    assert "alpha (2 of 3), beta (2 of 3)" in page
    assert '<a href="?topic=A.1">A.1</a>' in page


def test_tables_can_be_downloaded(pool: Pool) -> None:
    assert text_of(pool, "topics.tsv") == "topic\tunits\tdocuments\tcrowded\nA.1\t2\t2\t0\nA.2\t0\t0\t0\n"
    assert text_of(pool, "runs.tsv") == (
        "run\tteam\trole\tunits\tunique\ttop\tjudged\tdocuments\tknown\n"
        "alpha\tAlpha\tprimary\t2\t1\t3\t2\t\t\n"
        "beta\tBeta\talternate\t1\t0\t3\t2\t\t\n"
        "floor\tOrganizers\tprimary\t1\t0\t1\t1\t\t\n"
    )
    assert text_of(pool, "teams.tsv").splitlines()[1] == "Alpha\t2\t1\t3\t2"


def test_before_the_report_there_are_no_files_and_never_others(campaign: Campaign) -> None:
    pool, client = pools.build(campaign, on_progress), client_of(make_cast().olga)
    assert client.get(url_of("pool_report_file", pool, name="runs.tsv")).status_code == 404
    reports.make_report(pool, on_progress)
    assert client.get(url_of("pool_report_file", pool, name="secret-key")).status_code == 404


def test_tabs_and_newlines_in_the_name_of_a_team_become_spaces(campaign: Campaign) -> None:
    campaign.runs.filter(name="alpha").update(team="A\tB\nC")
    pool = pools.build(campaign, on_progress)
    reports.make_report(pool, on_progress)
    assert "A B C\t2\t1\t3\t2\n" in text_of(pool, "teams.tsv")
