"""The page of a collection of documents: one file, and no word of posts and formulas."""

import json
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from assess.ir.collection.html import plain_text
from assess.models import Campaign, Run, Topic
from assess.services.campaign import campaigns
from tests.cast import Cast
from tests.lab import client_of
from tests.real import data_file
from tests.web.organizer import bare_campaign, fields_refused, file, latest_job_done

pytestmark = pytest.mark.django_db

WRONG = re.compile(r"\b(posts?|threads?|formulas?|questions?|answers?|LaTeX|ARQMath)\b|\.xml", re.IGNORECASE)
DOCUMENTS = "".join(json.dumps({"uid": f"d{n}", "id": "x", "text": f"Text {n}"}) + "\n" for n in range(3))


@pytest.fixture
def olga(cast: Cast) -> Client:
    return client_of(cast.olga)


@pytest.fixture
def lab(olga: Client, settings: Settings, tmp_path: Path) -> Campaign:
    settings.MEDIA_ROOT = tmp_path
    lab = bare_campaign("documents")
    olga.post(reverse("collection", args=[lab.slug]), {"name": "Pages"})
    lab.refresh_from_db()
    return lab


def main_of(olga: Client, url: str) -> str:
    page = olga.get(url).content.decode()
    return plain_text(page[page.index("<main") : page.index("</main>")])


def test_one_file_of_documents_is_asked_for_and_read(lab: Campaign, olga: Client, campaign: Campaign) -> None:
    url, other = (reverse("collection", args=[each.slug]) for each in (lab, campaign))
    assert fields_refused(olga.post(url, {"key": ""})) == {"__all__"}
    assert fields_refused(olga.post(other, {"documents": file("d", DOCUMENTS)})) == {"__all__"}
    assert "JSON lines" not in main_of(olga, other)
    response = olga.post(reverse("topics", args=[campaign.slug]), {"file": file("t.tsv", "1\tx\n2\ty\n")})
    assert "2 topics have no question" in response.content.decode()
    assert not WRONG.findall(main_of(olga, url))
    assert "Documents (JSON lines, TREC, TSV, zip)" in main_of(olga, url)
    olga.post(url, {"documents": file("docs.jsonl", DOCUMENTS), "key": "uid"})
    job = latest_job_done()
    assert (job.error, job.result["counts"]) == ("", {"documents": 3})
    page = main_of(olga, url)
    assert not WRONG.findall(page)
    assert "3 Documents" in page
    assert "docs.jsonl" in page
    assert "3 documents" in olga.get(lab.get_absolute_url()).content.decode()


def test_topics_runs_and_documents_of_a_real_lab_are_imported(lab: Campaign, olga: Client) -> None:
    corpus = data_file("labs/spot-check/corpus.jsonl.gz")
    olga.post(reverse("collection", args=[lab.slug]), {"documents": file(corpus.name, corpus.read_bytes())})
    latest_job_done()
    for name in ("topics.xml", "queries.jsonl"):  # the same topics twice
        upload = file(name, data_file(f"labs/spot-check/{name}").read_bytes())
        assert olga.post(reverse("topics", args=[lab.slug]), {"file": upload}).status_code == 302
    assert [(topic.topic_id, topic.title) for topic in lab.topics.all()] == [
        ("3", "split ergo keyboard"), ("4", "metoo Hollywood"), ("7", "gastritis symptoms"),
    ]  # fmt: skip
    assert lab.topics.first().fields.keys() == {"description", "narrative"}
    about = {"kind": "primary", "method": "automatic", "data": "text", "pool_role": "primary", "order": "score"}
    folder = data_file("labs/spot-check/tira-run")
    files = [file(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]
    olga.post(reverse("runs", args=[lab.slug]), {"run_files": files, **about})
    assert latest_job_done().error == ""
    run = Run.objects.get()
    assert (run.team, run.name) == ("spot-check baseline", "PL2 over page contents")
    assert run.notes[0] == "description: Documents ranked by PL2 over the content field of a web index."
    assert (run.coverage["documents"], run.coverage["known"]) == (201, 0)


def test_topics_of_any_id_are_sorted_naturally(lab: Campaign) -> None:
    ids = [("q10", "q2", "q1"), ("2019-12", "2019-2", "2018-100"), ("1037798", "19335"), ("99999999999999", "x")]
    for group in ids:
        rows = [Topic(campaign=lab, topic_id=each, number=campaigns.topic_number(each)) for each in group]
        Topic.objects.bulk_create(rows)
        assert [topic.topic_id for topic in lab.topics.all()] == list(reversed(group))
        lab.topics.all().delete()
    assert [campaigns.topic_number(each) for each in ("A.301", "B.9", "none")] == [301, 9, 0]
