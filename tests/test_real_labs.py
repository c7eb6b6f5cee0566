"""Labs outside mathematics, from their published files to scores."""

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.text import slugify

from assess import tasks
from assess.models import Campaign, Collection, Evaluation, GoldGrade, Job, Qrels, Round
from assess.services.campaign import accounts, campaigns
from assess.services.collection.preparing import CollectionFile
from assess.services.releases import qrels
from assess.services.scores import evaluation
from tests.cast import import_files, make_assignment, make_cast, make_user, on_progress
from tests.lab import client_of, judge
from tests.lab_steps import done
from tests.other_tools import opened_by_tira, scored_by_ir_measures, unpacked_folder
from tests.real import data_file, passage_grades

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


def program_of(user: User, scope: str) -> Client:
    """A program with a token of a person."""
    return Client(headers={"Authorization": f"Bearer {accounts.make_api_token(user, scope, scope, 7)[1]}"})


def rows_of(program: Client, address: str) -> list[dict[str, Any]]:
    rows = []
    while address:
        page = program.get(address).json()
        rows += page["results"]
        address = page["next"]
    return rows


def judge_by_api(user: User, words: Mapping[tuple[str, str], str]) -> int:
    """How many documents a program of an assessor judged by these words, by topic and document."""
    program, said = program_of(user, "judge"), 0
    for assignment in rows_of(program, "/api/assignments/"):
        address = f"/api/assignments/{assignment['id']}"
        decisions = [
            {"instance": item["instance"], "content_hash": item["content_hash"], "word": word}
            for item in rows_of(program, f"{address}/items/?page_size=10000")
            if (word := words.get((assignment["topic"], item["document"])))
        ]
        answer = program.post(f"{address}/judgments/", decisions, content_type="application/json")
        assert answer.status_code == 200, answer.content
        said += len(decisions)
    return said


def make_campaign_of_files(folder: Path, lab: str, toml: str) -> Campaign:
    """By the command, with the files of a lab beside its TOML file."""
    for file in data_file(lab).iterdir():
        (folder / file.name).symlink_to(file)
    (folder / "lab.toml").write_text(toml)
    call_command("campaign", "new", str(folder / "lab.toml"))
    return Campaign.objects.get()


def send(user: User, address: str, **fields: object) -> None:
    """Send a form, and do the job that it starts."""
    response = client_of(user).post(address, fields)
    assert response.status_code == 302, response.content.decode()
    for job in Job.objects.filter(state=Job.State.QUEUED):
        assert done(job).error == ""


def upload(path: str) -> SimpleUploadedFile:
    file = data_file(path)
    return SimpleUploadedFile(file.name, file.read_bytes())


def expected_scores() -> list[dict[str, str]]:
    with data_file(f"{VASWANI}/expected_scores.tsv").open() as file:
        return list(csv.DictReader(file, delimiter="\t"))


def relevant_documents() -> set[tuple[str, str]]:
    rows = map(str.split, data_file(f"{VASWANI}/qrels").read_text().splitlines())
    return {(topic, document) for topic, _, document, _ in rows}


def test_runs_of_vaswani_score_as_published(capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(path) for path in data_file(f"{VASWANI}/runs").glob("*.txt.gz")]
    how = {"level": 1, "average": "qrels", "measure": list(MEASURES.values()), "json": True}
    call_command("score", qrels=str(data_file(f"{VASWANI}/qrels")), run=names, **how)
    scored = {(row["run"], row["measure"]): row for row in json.loads(capsys.readouterr().out)}
    assert len(scored) == 45
    for row in expected_scores():
        found = scored[row["run"].partition(".")[0], MEASURES[row["measure"]]]
        assert (f"{found['value']:.6f}", str(found["topics"])) == (row["value"], row["topics"]), row


VASWANI_LAB = """like = "documents-binary"
[campaign]
name = "Vaswani"
edition = "NPL"
organizer = "olga"
topics = "query-text.trec"
documents = "doc-text.trec.gz"
runs = "runs"
team = "ours"
freeze = true
"""


@pytest.mark.django_db
@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.whole_benchmark)])
def test_a_release_of_vaswani_has_the_grades_of_its_qrels(every: int, tmp_path: Path) -> None:
    olga = make_user("olga", is_staff=True)
    campaign = make_campaign_of_files(tmp_path, VASWANI, VASWANI_LAB)
    pool, cast, relevant = campaign.frozen_pool(), make_cast(campaign), relevant_documents()
    made = (campaign.topics.count(), campaign.runs.count(), pool.missing, pool.rules.primary_depth)
    assert made == (93, 5, [], 20)
    topics = list(campaign.topics.all()[::every])
    for topic in topics:
        make_assignment(pool, cast.ada, topic=topic.topic_id)
    pooled = pool.entries.filter(topic__in=topics).values_list("topic__topic_id", "unit_id")
    grades = {place: str(int(place in relevant)) for place in pooled}
    assert judge_by_api(cast.ada, grades) == len(grades) > 30 * len(topics)
    release = qrels.release(pool, olga, on_progress)
    expected = [(*place, int(grade)) for place, grade in grades.items()]
    assert sorted(tuple(line) for line in release.lines_of("document")) == sorted(expected)


@pytest.mark.django_db
def test_pages_lead_vaswani_from_its_files_to_its_published_scores() -> None:
    """The pool is what the qrels name."""
    cast, relevant = make_cast(), relevant_documents()
    User.objects.filter(pk=cast.olga.pk).update(is_staff=True)
    send(cast.olga, "/campaigns/new/", name="Vaswani", preset="documents-binary", edition="NPL")
    send(cast.olga, "/c/vaswani/collection/", name="NPL")
    send(cast.olga, "/c/vaswani/topics/", file=upload(f"{VASWANI}/query-text.trec"))
    send(cast.olga, "/c/vaswani/collection/", documents=upload(f"{VASWANI}/doc-text.trec.gz"))
    files = [upload(f"{VASWANI}/runs/{path.name}") for path in data_file(f"{VASWANI}/runs").glob("*.txt.gz")]
    send(cast.olga, "/c/vaswani/runs/", run_files=files, team="ours", kind="primary", method="automatic", data="text",
         pool_role="primary", order="score")  # fmt: skip
    rows = "".join(f"{topic}\t{document}\t{document}\t1\t1\n" for topic, document in sorted(relevant))
    pool_file = SimpleUploadedFile("pool.tsv", f"topic\tunit\tdoc\tvotes\truns\n{rows}".encode())
    send(cast.olga, "/c/vaswani/pool/", file=pool_file)
    send(cast.olga, "/c/vaswani/pool/freeze/")
    cast = make_cast(Campaign.objects.get())
    send(cast.olga, "/c/vaswani/assignments/spread/", assessors=[cast.ada.pk])
    assert judge_by_api(cast.ada, dict.fromkeys(relevant, "1")) == 2083
    send(cast.olga, "/c/vaswani/releases/", min_relevant=0, topics=["test"])
    how = {"average": "qrels", "measures": list(MEASURES.values())}
    send(cast.olga, "/c/vaswani/results/", qrels=Qrels.objects.get().pk, **how)
    address = reverse("results_file", args=["vaswani", "csv"])
    file = client_of(cast.olga).get(address, {"evaluation": Evaluation.objects.get().pk}).content.decode()
    found = {row["run"]: row for row in csv.DictReader(file.splitlines())}
    assert len(expected_scores()) == 45
    for row in expected_scores():
        in_file = found[row["run"].partition(".")[0]]
        assert f"{float(in_file[MEASURES[row['measure']]]):.6f}" == row["value"], row


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
    published = [line.split() for line in data_file(f"{SPOT_CHECK}/qrels.txt").read_text().splitlines()]
    pages = sorted((topic, page) for topic, _, page, _ in published)
    rows = (f"{topic} Q0 {page} {rank} {200 - rank} by-id" for rank, (topic, page) in enumerate(pages, start=1))
    (tmp_path / "by-id.txt").write_text("\n".join(rows))
    grades = "".join(f'[[grades]]\nvalue = {value}\nname = "{name}"\n' for value, name in SCALE.items())
    campaign = make_campaign_of_files(tmp_path, SPOT_CHECK, SPOT_CHECK_LAB + grades)

    pool, cast = campaign.frozen_pool(), make_cast(campaign)
    assert dict(campaign.runs.values_list("name", "team")) == {
        "PL2 over page contents": "spot-check baseline",
        "by-id": "Ours",
    }
    for topic in campaign.topics.all():
        make_assignment(pool, cast.ada, topic=topic.topic_id)
    assert judge_by_api(cast.ada, {(topic, page): grade for topic, _, page, grade in published}) == 113
    release = qrels.release(pool, cast.olga, on_progress)
    expected = sorted((topic, page, int(grade)) for topic, _, page, grade in published)
    assert sorted(tuple(line) for line in release.lines_of("document")) == expected

    folder = unpacked_folder(release, tmp_path / "unpacked")
    assert (folder / "document/qrels.binary.txt").read_text().splitlines() == [
        f"{topic}\t0\t{page}\t{int(grade > 0)}" for topic, page, grade in expected
    ]
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
    assert ("188 of 188" in page, "With gold" in page) == (True, False)
    member = client_of(members[0].user)
    assert member.get(round.get_absolute_url()).status_code == 403
    client.post(reverse("round_discuss", args=[campaign.slug, round.pk]), {"open": "yes"})
    seen = member.get(round.get_absolute_url())
    assert (seen.status_code, "gold" in re.sub(r"<[^>]*>", "", seen.content.decode()).lower()) == (200, False)


PASSAGES = "labs/passages"
PASSAGES_LAB = """like = "passages"
assessors = {assessors}
primary_depth = 400
[campaign]
name = "Passages"
edition = "2025"
organizer = "olga"
topics = "topics.jsonl"
documents = "documents.jsonl.gz"
runs = "labelled.txt"
team = "All"
people = "judges.jsonl"
freeze = true
"""
KAPPAS = ("graded", "linear", "quadratic", "relevant_from_2")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("round", "assessors", "pairs"),
    [("agreement", 8, 28), pytest.param("main", 2, 4, marks=pytest.mark.whole_benchmark)],
)
def test_passages_judged_again_by_programs_have_the_published_kappas(
    round: str, assessors: int, pairs: int, tmp_path: Path
) -> None:
    """On the page of agreement, which leads to the digits of each pair."""
    olga = make_user("olga", is_staff=True)
    grades = {key[1:]: str(grade) for key, grade in passage_grades().items() if key[0] == round}
    judged = Counter(key[:2] for key in grades)
    most: dict[str, list[str]] = {}
    for (who, topic), _ in judged.most_common():
        most.setdefault(topic, []).append(who)
    people = [
        {"username": who, "topics": [topic for topic in most if who in most[topic][:assessors]]}
        for who in sorted({key[0] for key in grades})
    ]
    (tmp_path / "judges.jsonl").write_text("\n".join(map(json.dumps, people)))
    places = sorted({key[1:] for key in grades})
    ranked = (f"{topic} Q0 {passage} {rank} {-rank} all" for rank, (topic, passage) in enumerate(places))
    (tmp_path / "labelled.txt").write_text("\n".join(ranked))
    campaign = make_campaign_of_files(tmp_path, PASSAGES, PASSAGES_LAB.format(assessors=assessors))

    organizer = program_of(olga, "organize")
    lab = f"/api/campaigns/{campaign.slug}"
    for topic, judges in most.items():
        for who in judges[assessors:]:
            sent = {"assessor": who, "topics": [topic], "kind": "dual"}
            assert organizer.post(f"{lab}/assignments/", sent, content_type="application/json").status_code == 201
    for user in User.objects.filter(username__startswith="r"):
        words = {(topic, passage): grade for (who, topic, passage), grade in grades.items() if who == user.username}
        assert judge_by_api(user, words) == len(words)
    client = client_of(olga)
    client.post(f"/c/{campaign.slug}/agreement/compute/")
    tasks.run_job(Job.objects.get().pk)
    found = {}
    page = client.get(f"/c/{campaign.slug}/agreement/").content.decode()
    for query, *pair in re.findall(r'href="(\?report=\d+&amp;first=(r\d)&amp;second=(r\d))"', page):
        shown = client.get(f"/c/{campaign.slug}/agreement/{unescape(query)}").content.decode()
        n, *digits = re.findall(r'<td class="num">\s*([\d.]+)\s*</td>', shown)
        found[" ".join(pair)] = [n, *digits[: len(KAPPAS)]]
    with data_file(f"{PASSAGES}/expected_kappas.tsv").open() as file:
        expected = {row["assessors"]: row for row in csv.DictReader(file, delimiter="\t") if row["round"] == round}
    assert len(expected) == pairs
    assert {pair: row for pair, row in found.items() if int(row[0]) > 1} == {
        pair: [row["n"], *(row[name] for name in KAPPAS)] for pair, row in expected.items()
    }
