"""The what-if leaderboard, and second opinions on the page of agreement."""

import csv
import re
from pathlib import Path

import pytest

from assess import tasks
from assess.models import Job, SecondOpinion, WhatIf
from assess.services.releases import qrels
from assess.services.scores import what_if
from assess.web.common.measure_names import key_of
from tests.cast import make_campaign, make_cast, on_progress
from tests.lab import Lab, client_of, judge, make_lab, queries
from tests.sources import make_source, qrels_of
from tests.web.organizer import messages_of, text_of, url_of
from tests.written import make_written

FORMATS = ("csv", "tex")
pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    lab = make_lab(tmp_path)
    make_source(lab.campaign, tmp_path, qrels_of({"11": 0, "12": 3, "21": 0}), "judge-1")
    return lab


def done() -> Job:
    job = Job.objects.latest("pk")
    tasks.run_job(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    return job


def test_the_runs_are_scored_with_a_source_beside_the_release(lab: Lab) -> None:
    client, source = client_of(lab.cast.olga), lab.campaign.judgment_sources.get()
    client.post(url_of("what_if_start", lab.campaign, pk=source.pk))
    done()
    made = WhatIf.objects.get()
    page = text_of(client, "what_if", lab.campaign, pk=made.pk)
    assert "not official" in page
    assert '<span class="badge queued">machine</span>' in page
    assert "“Source alone” <strong>−0.8165</strong>" in page
    assert re.search(r'1\.0000</td><td class="num">1<span class="moved"> .*▲1</span>.*\(1 place higher\)', page)
    assert (
        '>3<span class="moved"> <span aria-hidden="true">▼2</span><span class="visually-hidden">(2 places low' in page
    )
    assert "It adds 0 grades" in page  # the release has a grade for each of the three
    assert "“Release, completed” <strong>" not in page  # it is the release itself
    address = url_of("what_if", lab.campaign, pk=made.pk)
    assert "bpref and place" in client.get(address, {"measure": "bpref"}).content.decode()
    assert queries(client, address) <= 15
    files = {
        kind: client.get(url_of("what_if_file", lab.campaign, pk=made.pk, file_format=kind) + "?measure=bpref")
        for kind in FORMATS
    }
    header, first, *_ = csv.reader(files["csv"].content.decode().splitlines())
    assert header[2:6] == ["official bpref", "official place", "official topics", "alone bpref"]
    standing = made.tables[3]["rows"][0]
    assert made.tables[3]["measure"] == "bpref"
    assert (first[0], float(first[2])) == (standing["run"], standing["official"]["value"])
    assert "Source alone" in files["tex"].content.decode()
    assert f"/what-if/{made.pk}.csv?measure=bpref" in client.get(address, {"measure": "bpref"}).content.decode()


def test_without_a_release_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    campaign = make_campaign()
    source = make_source(campaign, tmp_path, qrels_of({"11": 3}))
    client = client_of(make_cast(campaign).olga)
    response = client.post(url_of("what_if_start", campaign, pk=source.pk), follow=True)
    assert messages_of(response) == ["There is no release to compare with. Make one first."]


def test_a_ticked_source_is_a_second_opinion_that_only_organizers_see(lab: Lab) -> None:
    source = lab.campaign.judgment_sources.get()
    client = client_of(lab.cast.olga)
    page = text_of(client, "agreement", lab.campaign)
    assert "Compare also with judgments made elsewhere" in page
    assert f'value="{source.pk}" checked>' not in page
    client.post(url_of("agreement_start", lab.campaign), {"sources": [str(source.pk), "999999", "x"]})
    done()
    assert SecondOpinion.objects.get().source == source
    page = text_of(client, "agreement", lab.campaign)
    assert "Second opinions" in page
    assert "judge-1" in page
    assert "Official judgments" in page
    opinion = SecondOpinion.objects.get()
    files = {
        kind: url_of("second_opinions_file", lab.campaign, pk=opinion.report_id, file_format=kind) for kind in FORMATS
    }
    assert all(f'href="{file}"' in page for file in files.values())
    rows = list(csv.DictReader(client.get(files["csv"]).content.decode().splitlines()))
    official = opinion.rows["judges"][0]
    assert (rows[0]["source"], rows[0]["judged by"], rows[0]["topic"]) == ("judge-1", "machine", "all")
    assert (rows[0]["compared with"], float(rows[0]["kappa"])) == ("official judgments", official["kappa"]["value"])
    assert [row["topic"] for row in rows[-len(opinion.rows["topics"]) :]] == [
        row["topic"] for row in opinion.rows["topics"]
    ]
    paper = client.get(files["tex"]).content.decode()
    assert paper.count("judge-1") == len(opinion.rows["judges"])
    assert f'value="{source.pk}" checked>' in page
    for name in ("agreement", "campaign"):
        assert "judge-1" not in text_of(client_of(lab.cast.kurt), name, lab.campaign)
    assert "judge-1" not in str(client_of(lab.cast.kurt).get(f"/api/campaigns/{lab.campaign.slug}/agreement/").json())


def test_a_source_without_a_topic_of_the_campaign_is_not_offered(lab: Lab, tmp_path: Path) -> None:
    make_source(lab.campaign, tmp_path, qrels_of({"11": 3}, topic="A.77"), "another-edition")
    page = text_of(client_of(lab.cast.olga), "agreement", lab.campaign)
    assert page.count('name="sources"') == 1  # that of judge-1
    assert "1 source of judgments is not offered: it judged no topic of this campaign." in page
    assert "not offered" not in text_of(client_of(lab.cast.kurt), "agreement", lab.campaign)


def test_a_source_of_another_campaign_is_no_second_opinion(lab: Lab, tmp_path: Path) -> None:
    other = make_source(make_campaign(), tmp_path, qrels_of({"11": 3}), "elsewhere")
    client_of(lab.cast.olga).post(url_of("agreement_start", lab.campaign), {"sources": [str(other.pk)]})
    done()
    assert not SecondOpinion.objects.exists()


@pytest.mark.parametrize("released", [True, False])
def test_without_grades_for_written_answers_the_page_says_who_has_none(released: bool, tmp_path: Path) -> None:
    written = make_written(tmp_path)
    if released:
        written.judge_all()
    else:
        judge(written.assignment, {"11": "3", "12": "0"})
    release = qrels.release(written.assignment.round.pool, written.cast.olga, on_progress)
    what_if.score_what_if(make_source(written.campaign, tmp_path, qrels_of({"11": 0})), release, on_progress)
    address = url_of("what_if", written.campaign, pk=WhatIf.objects.get().pk)
    client = client_of(written.cast.olga)
    lacks = (
        "other has no grades for written answers of the topics of Release 1"
        if released
        else "Release 1 has no grades for written answers"
    )
    page = client.get(address, {"measure": key_of("AR")}).content.decode()
    assert (lacks in page, "tau-b" in page) == (True, False)
    page = client.get(address, {"measure": "bpref"}).content.decode()
    assert ("has no grades" in page, "tau-b" in page) == (False, True)
