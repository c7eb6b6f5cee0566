"""Labs outside mathematics, from their published files to scores."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.core.management import call_command

from assess.models import Campaign, Collection
from assess.services.campaign import campaigns
from assess.services.collection.preparing import CollectionFile
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.runs import runs
from tests.cast import import_files, make_assignment, make_cast, make_user, on_progress
from tests.lab import judge
from tests.real import data_file

VASWANI = "labs/vaswani"
MEASURES = {
    "nDCG@10": "nDCG@10",
    "AP": "MAP",
    "P@10": "P@10",
    "RR": "MRR",
    "Bpref": "bpref",
    "Judged@10": "judged@10",
    "nDCG(judged_only=True)": "nDCG'",
    "AP(judged_only=True)": "MAP'",
    "P(judged_only=True)@10": "P'@10",
}
"""How ir-measures calls them, and how they are called here."""
JUDGED = ("1", "2", "93")


def run_files() -> list[Path]:
    return sorted(data_file(f"{VASWANI}/runs").glob("*.txt.gz"))


def relevant_documents() -> set[tuple[str, str]]:
    lines = data_file(f"{VASWANI}/qrels").read_text().splitlines()
    return {(topic, document) for topic, _, document, _ in map(str.split, lines)}


def test_runs_of_vaswani_score_as_published(capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(path) for path in run_files()]
    how = {"level": 1, "average": "qrels", "measure": list(MEASURES.values()), "json": True}
    call_command("score", qrels=str(data_file(f"{VASWANI}/qrels")), run=names, **how)
    scored = {(row["run"], row["measure"]): row for row in json.loads(capsys.readouterr().out)}
    with data_file(f"{VASWANI}/expected_scores.tsv").open() as file:
        expected = list(csv.DictReader(file, delimiter="\t"))
    assert len(expected) == len(scored) == 45
    for row in expected:
        found = scored[row["run"].partition(".")[0], MEASURES[row["measure"]]]
        assert (f"{found['value']:.6f}", str(found["topics"])) == (row["value"], row["topics"]), row


@pytest.fixture
def vaswani() -> Campaign:
    olga = make_user("olga", is_staff=True)
    collection = Collection.objects.create(name="NPL")
    campaign = campaigns.create_campaign(
        name="Vaswani", preset="documents-binary", edition="NPL", by=olga, collection=collection, seed=7
    )
    with data_file(f"{VASWANI}/query-text.trec").open("rb") as file:
        campaigns.import_topics(campaign, file, "query-text.trec", olga)
    documents = data_file(f"{VASWANI}/doc-text.trec.gz")
    assert import_files(collection, [CollectionFile("documents", documents.name, documents)]) == {"documents": 11429}
    uploads: Iterable[Path] = run_files()
    runs.import_runs(campaign, [runs.RunUpload(path, runs.RunMeta(path.name, "ours")) for path in uploads], on_progress)
    return campaign


@pytest.mark.django_db
def test_a_release_of_vaswani_has_the_grades_of_its_qrels(vaswani: Campaign) -> None:
    pool = freezing.freeze(pools.build(vaswani, on_progress), on_progress)
    assert (vaswani.topics.count(), pool.missing) == (93, [])
    cast, relevant = make_cast(vaswani), relevant_documents()
    expected = []
    for topic in JUDGED:
        assignment = make_assignment(pool, cast.ada, topic=topic)
        documents = pool.entries.filter(topic__topic_id=topic).values_list("unit_id", flat=True)
        grades = {document: str(int((topic, document) in relevant)) for document in documents}
        judge(assignment, grades)
        expected += [(topic, document, int(grade)) for document, grade in grades.items()]
    release = qrels.release(pool, cast.olga, on_progress)
    assert sorted(tuple(line) for line in release.lines_of("document")) == sorted(expected)
