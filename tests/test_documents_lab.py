"""A lab without mathematics from its files to pages: topics as TSV, documents as JSON lines, runs in TREC's format."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Collection, Job, Run
from assess.services import job_kinds
from assess.services.agreement import agreement
from assess.services.campaign import campaigns
from assess.services.collection.preparing import CollectionFile
from assess.services.jobs import job_queue
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.runs import baselines
from assess.services.scores import evaluation, reliability
from tests.cast import import_files, make_assignment, make_cast, make_user, on_progress
from tests.lab import add_run, client_as, judge, make_source, qrels_of

pytestmark = pytest.mark.django_db

TEXTS = {"tea": "How to brew green tea at eighty degrees.", "cup": "A cup of porcelain.", "oak": "Oaks grow slowly."}
TOPICS = "q2\tgreen tea\nq10\tslow oaks\n"
RUN = "q2 Q0 tea 1 9 r\nq2 Q0 cup 2 8 r\nq10 Q0 oak 1 7 r\nq10 Q0 gone 2 6 r\n"
FOREIGN = re.compile(
    r"formula|thread|\bposts?\b|Task \d|ARQMath|NTCIR|H\+M|bpref hm|mathemat|instance|visual|written answer",
    re.IGNORECASE,
)
SAID = r'(?:title|placeholder|alt|aria-label)="([^"]+)"'


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    olga = make_user("olga", is_staff=True)
    collection = Collection.objects.create(name="Tea and trees")
    campaign = campaigns.create_campaign(name="Tea", preset="documents", by=olga, collection=collection, seed=7)
    (tmp_path / "topics.tsv").write_text(TOPICS)
    with (tmp_path / "topics.tsv").open("rb") as file:
        campaigns.import_topics(campaign, file, "topics.tsv", olga)
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(json.dumps({"doc_id": name, "text": text}) for name, text in TEXTS.items()))
    import_files(collection, [CollectionFile("documents", path.name, path)])
    add_run(campaign, tmp_path, RUN, pool_role="primary")
    return campaign


def test_similar_documents_are_found_by_their_words(campaign: Campaign) -> None:
    assert list(baselines.kinds_for(campaign)) == ["documents"]
    params = {"baseline": "documents", "name": "base", "pool_role": "none", "options": {}}
    job = job_queue.submit(campaign, job_kinds.make_baseline, campaign.members.get().user, **params)
    run = baselines.make_baseline_run(job, on_progress)
    assert (run.format, run.lines, run.coverage["known"]) == (Run.Format.TREC, 2, 2)
    assert Job.objects.get(pk=job.pk).campaign == campaign


def test_marking_a_passage_is_said_at_its_desk(campaign: Campaign) -> None:
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    cast = make_cast(campaign)
    page = client_as(cast, "ada").get(reverse("judge", args=[make_assignment(pool, cast.ada).pk, 1])).content.decode()
    assert all(word in page for word in ("Passage marked", "Select a passage of the document first"))


def pages_in_reach(client: Client, first: str) -> dict[str, str]:
    """The text of each page of the lab to which links lead, with its parts, by address without the values of a
    query."""
    waiting, texts = [first], dict[str, str]()
    while waiting:
        address = waiting.pop()
        if (page := re.sub(r"=[^&]*", "=", address)) in texts:
            continue
        response = client.get(address, follow=True)
        assert response.status_code == 200, address
        html = b"".join(response).decode(errors="replace")
        is_page = response.headers["Content-Type"].startswith("text/html")
        bare = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", html, flags=re.DOTALL)
        texts[page] = " ".join([bare, *re.findall(SAID, html)]) if is_page else ""
        links = re.findall(r'href="(/(?:c/tea|judge|assignments?)/[^"#]*)', html) if is_page else []
        waiting += [unescape(link) for link in links if not link.endswith(BIG)]
    return texts


BIG = (".zip", "/handbook/")


def test_no_page_of_it_has_a_word_of_mathematics(campaign: Campaign, tmp_path: Path) -> None:
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    cast = make_cast(campaign)
    judge(make_assignment(pool, cast.ada), {"tea": "3", "cup": "0"})
    make_assignment(pool, cast.ada, topic="q10")
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"tea": "2", "cup": "0"})
    agreement.report(pool, on_progress)
    scored = evaluation.evaluate(qrels.release(pool, cast.olga, on_progress), "qrels", on_progress)
    reliability.report_reliability(scored, on_progress)
    make_source(campaign, tmp_path, qrels_of({"tea": 2, "cup": 1}, "q2"))
    for person, first, least in (("olga", f"/c/{campaign.slug}/", 70), ("ada", "/", 6)):
        texts = pages_in_reach(client_as(cast, person), first)
        assert len(texts) >= least
        assert {page: found for page, text in texts.items() if (found := sorted({*FOREIGN.findall(text)}))} == {}
