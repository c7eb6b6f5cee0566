"""The what-if leaderboard, and second opinions on the page of agreement."""

import re
from pathlib import Path

import pytest

from assess.models import SecondOpinion, WhatIf
from assess.web.common.measure_names import key_of
from tests.cast import make_campaign, make_cast
from tests.lab import Lab, client_of, make_lab, make_source, qrels_of
from tests.web.organizer import latest_job_done, messages_of, text_of, url_of
from tests.web.reports import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    lab = make_lab(tmp_path)
    make_source(lab.campaign, tmp_path, qrels_of({"11": 0, "12": 3, "21": 0}), "judge-1")
    return lab


def test_the_runs_are_scored_with_a_source_beside_the_release(lab: Lab) -> None:
    client, source = client_of(lab.cast.olga), lab.campaign.judgment_sources.get()
    client.post(url_of("what_if_start", lab.campaign, pk=source.pk))
    latest_job_done()
    made = WhatIf.objects.get()
    page = squeeze(text_of(client, "what_if", lab.campaign, pk=made.pk))
    assert "not official" in page
    assert '<span class="badge queued">machine</span>' in page
    assert "“Source alone” <strong>−0.8165</strong>" in page
    assert re.search(r'1\.0000</td><td class="num">1<span class="moved"> .*▲1</span>.*\(1 place higher\)', page)
    lower = '3<span class="moved"> <span aria-hidden="true">▼2</span><span class="visually-hidden">(2 places low'
    assert f">{lower}" in page
    assert "It adds 0 grades" in page  # the release has a grade for each of the three
    assert "“Release, completed” <strong>" not in page  # it is the release itself
    address = url_of("what_if", lab.campaign, pk=made.pk)
    assert "bpref and place" in client.get(f"{address}&measure=bpref").content.decode()
    made.tables[0]["grades"] = 0  # as if it judged no written answer
    for row in made.tables[1]["rows"]:
        row["official"]["topics"] = 0
    made.save()
    for table, lacking in zip(made.tables, ("judge-1", "Release 1"), strict=False):
        page = squeeze(client.get(f"{address}&measure={key_of(table['measure'])}").content.decode())
        assert (f"{lacking} has no grades for these runs" in page, "Kendall" in page) == (True, False)


def test_a_ticked_source_is_a_second_opinion_that_only_organizers_see(lab: Lab) -> None:
    source = lab.campaign.judgment_sources.get()
    client = client_of(lab.cast.olga)
    ticked = f'value="{source.pk}" checked>'
    page = text_of(client, "agreement", lab.campaign)
    assert ("Compare also with judgments made elsewhere" in page, ticked in page) == (True, False)
    client.post(url_of("agreement_start", lab.campaign), {"sources": [str(source.pk), "999999", "x"]})
    latest_job_done()
    opinion = SecondOpinion.objects.get()
    assert opinion.source == source
    page = text_of(client, "agreement", lab.campaign)
    assert all(words in page for words in ("Second opinions", "judge-1", "Official judgments", ticked))
    kurt = client_of(lab.cast.kurt)
    pages = [text_of(kurt, name, lab.campaign) for name in ("agreement", "campaign")]
    api = str(kurt.get(f"/api/campaigns/{lab.campaign.slug}/agreement/").json())
    assert not any("judge-1" in shown for shown in (*pages, api))


def test_sources_without_a_topic_of_the_campaign_and_of_others_are_not_offered(lab: Lab, tmp_path: Path) -> None:
    make_source(lab.campaign, tmp_path, qrels_of({"11": 3}, topic="A.77"), "another-edition")
    client = client_of(lab.cast.olga)
    page = text_of(client, "agreement", lab.campaign)
    assert page.count('name="sources"') == 1  # that of judge-1
    other = make_source(make_campaign(), tmp_path, qrels_of({"11": 3}), "elsewhere")
    client.post(url_of("agreement_start", lab.campaign), {"sources": [str(other.pk)]})
    latest_job_done()
    assert not SecondOpinion.objects.exists()


def test_without_a_release_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    campaign = make_campaign()
    source = make_source(campaign, tmp_path, qrels_of({"11": 3}))
    client = client_of(make_cast(campaign).olga)
    response = client.post(url_of("what_if_start", campaign, pk=source.pk), follow=True)
    assert messages_of(response) == ["There is no release to compare with. Make one first."]
