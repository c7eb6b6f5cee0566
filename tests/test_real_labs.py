"""Labs outside mathematics, from their published files to scores."""

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path

import ir_measures
import pytest
from django.core.management import call_command
from django.utils.text import slugify

from assess import tasks
from assess.models import Campaign, Collection, GoldGrade, Job, Round
from assess.services.campaign import campaigns
from assess.services.collection.preparing import CollectionFile
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.runs import runs
from assess.services.scores import evaluation
from tests.cast import import_files, make_assignment, make_cast, make_user, on_progress
from tests.lab import client_of, judge
from tests.other_tools import opened_by_tira, scored_by_ir_measures, unpacked_folder
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


SPOT_CHECK = "labs/spot-check"
SCALE = {3: "Key", 2: "Highly relevant", 1: "Relevant", 0: "Not relevant", -1: "Wrong language", -2: "Spam"}
SPOT_CHECK_LAB = """like = "documents"
primary_depth = 50
[campaign]
name = "Spot check"
edition = "2024"
organizer = "olga"
topics = "topics.xml"
documents = "corpus.jsonl.gz"
runs = ["tira-run", "by-id.txt"]
team = "Ours"
freeze = true
"""


@pytest.mark.django_db
def test_a_release_of_web_pages_with_six_grades_scores_alike_in_tira(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run of TIRA has none of the 113 judged pages; a run of ours has them by their ids."""
    make_user("olga", is_staff=True)
    for file in data_file(SPOT_CHECK).iterdir():
        (tmp_path / file.name).symlink_to(file)
    published = [line.split() for line in (tmp_path / "qrels.txt").read_text().splitlines()]
    pages = sorted((topic, page) for topic, _, page, _ in published)
    rows = (f"{topic} Q0 {page} {rank} {200 - rank} by-id" for rank, (topic, page) in enumerate(pages, start=1))
    (tmp_path / "by-id.txt").write_text("\n".join(rows))
    grades = "".join(f'[[grades]]\nvalue = {value}\nname = "{name}"\n' for value, name in SCALE.items())
    (tmp_path / "lab.toml").write_text(SPOT_CHECK_LAB + grades)
    call_command("campaign", "new", str(tmp_path / "lab.toml"))

    campaign = Campaign.objects.get()
    pool, cast = campaign.frozen_pool(), make_cast(campaign)
    assert dict(campaign.runs.values_list("name", "team")) == {
        "PL2 over page contents": "spot-check baseline",
        "by-id": "Ours",
    }
    for topic in campaign.topics.all():
        judged = {page: grade for its_topic, _, page, grade in published if its_topic == topic.topic_id}
        judge(make_assignment(pool, cast.ada, topic=topic.topic_id), judged)
    release = qrels.release(pool, cast.olga, on_progress)
    expected = sorted((topic, page, int(grade)) for topic, _, page, grade in published)
    assert sorted(tuple(line) for line in release.lines_of("document")) == expected
    assert len(expected) == 113

    folder = unpacked_folder(release, tmp_path / "unpacked")
    opened = opened_by_tira(folder / "document", monkeypatch)
    lines = [(topic, page, grade) for topic, found in opened.grades.items() for page, grade in found.items()]
    assert sorted(lines) == expected
    assert opened.queries["3"] == "split ergo keyboard"
    assert set(opened.documents) == {page for _, page in pages}
    names = ["nDCG@10", "AP", "P@10", "RR"]
    scored = evaluation.evaluate(release, "qrels", on_progress, measures=[MEASURES[name] for name in names])
    means = {(mean["run_id"], mean["measure"]): f"{mean['value']:.6f}" for mean in scored.means}
    for run in campaign.runs.all():
        [path] = (folder / "runs").glob(f"*-{slugify(run.name)}.txt")
        ranked = ir_measures.read_trec_run(str(path))  # type: ignore[no-untyped-call]
        found = scored_by_ir_measures(opened.grades, ranked, names)
        assert found == {name: means[run.pk, MEASURES[name]] for name in names}
        assert (float(found["nDCG@10"]) > 0) == (run.team == "Ours")


@pytest.mark.django_db
def test_judges_of_passages_train_without_gold_grades(tmp_path: Path) -> None:
    """Two of the eight who judged the same 188 passages before the main round, to talk about them."""
    olga, names = make_user("olga", is_staff=True), ("r1", "r3")
    collection = Collection.objects.create(name="Passages")
    campaign = campaigns.create_campaign(name="P", preset="passages", edition="2025", by=olga, collection=collection)
    documents = data_file("labs/passages/documents.jsonl.gz")
    import_files(collection, [CollectionFile("documents", documents.name, documents)])
    with data_file("labs/passages/labels.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["round"] == "agreement"]
    grades = {name: {row["document"]: row["label"][-2] for row in rows if row["assessor"] == name} for name in names}
    qrels_file = tmp_path / "passages.qrels"
    qrels_file.write_text("".join(f"{row['topic']} 0 {row['document']} 0\n" for row in rows if row["assessor"] == "r1"))
    members = [campaign.members.create(user=make_user(name), role="assessor") for name in names]
    sent = {"kind": "training", "topics": 3, "items": 0, "without_gold": "on", "members": [row.pk for row in members]}
    client = client_of(olga)
    with data_file("labs/passages/topics.jsonl").open("rb") as topics, qrels_file.open("rb") as qrels:
        client.post(f"/c/{campaign.slug}/rounds/prepare/", sent | {"topics_file": topics, "qrels_file": qrels})
    tasks.run_job(Job.objects.get().pk)
    round = Round.objects.get()
    assert Job.objects.get().error == ""
    for assignment in round.assignments.select_related("assessor"):
        judge(assignment, grades[assignment.assessor.username])
    assert not GoldGrade.objects.exists()
    page = client.get(round.get_absolute_url()).content.decode()
    with data_file("labs/passages/expected_kappas.tsv").open() as file:
        published = next(row for row in csv.DictReader(file, delimiter="\t") if row["assessors"] == "r1 r3")
    cells = re.findall(r'<td class="num">(0\.\d+)</td>', page)
    assert cells == [f"{float(published[name]):.3f}" for name in ("graded", "relevant_from_2")] * 2
    assert "188 of 188" in page
    assert "With gold" not in page
    member = client_of(members[0].user)
    assert member.get(round.get_absolute_url()).status_code == 403
    client.post(f"{round.get_absolute_url()}discuss/", {"open": "yes"})
    seen = member.get(round.get_absolute_url())
    assert (seen.status_code, "gold" in re.sub(r"<[^>]*>", "", seen.content.decode()).lower()) == (200, False)
