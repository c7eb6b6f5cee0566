"""A campaign with all that it begins with, from one file."""

import json
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from assess.models import Assignment, Campaign, Collection, Member
from tests.cast import make_user
from tests.management.terminal import refused, run
from tests.other_tools import register_datasets
from tests.real import data_file

pytestmark = pytest.mark.django_db

LAB = """like = "documents-binary"
primary_depth = 11
alternate_depth = 11
[campaign]
name = "Web course"
edition = "Course 2025"
organizer = "olga"
"""


@pytest.fixture(autouse=True)
def olga() -> User:
    return make_user("olga", is_staff=True)


def lab(folder: Path, *lines: str) -> Path:
    path = folder / "lab.toml"
    path.write_text(LAB + "\n".join(lines))
    return path


def test_the_course_of_the_handbook_begins_with_one_command(tmp_path: Path) -> None:
    course = data_file("labs/web-course/topics.xml").parent
    for file in course.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "documents.jsonl").write_text('{"doc_id": "d1", "text": "Ours, for want of theirs."}\n')
    path = tmp_path / "course.toml"
    path.write_text((settings.BASE_DIR / "docs/labs.md").read_text().split("```toml\n")[1].split("```")[0])
    began = time.monotonic()
    printed = run("campaign", "new", path, "--json", "--site", "https://assess.example/")
    assert time.monotonic() - began < 120
    people = json.loads(printed.out)
    campaign = Campaign.objects.get()
    pool = campaign.frozen_pool()
    assert (campaign.topics.count(), campaign.runs.count(), len(people)) == (24, 6, 24)
    assert (campaign.edition, campaign.rules.edition, pool.rules.primary_depth) == ("Course 2025", "Course 2025", 11)
    given = Assignment.objects.filter(round__pool=pool, official=True).values_list(
        "assessor__username", "topic__topic_id"
    )
    assert sorted(given) == sorted((person["username"], person["topics"]) for person in people)
    link = people[0]["link"].removeprefix("https://assess.example")
    assert "documents of the pool have no text" in printed.err
    assert Client().get(link, follow=True).status_code == 200


def test_documents_are_imported_and_known_people_invited(tmp_path: Path) -> None:
    make_user("ada")
    (tmp_path / "docs.jsonl").write_text('{"doc_id": "d1", "text": "One."}\n{"doc_id": "d2", "text": "Two."}\n')
    (tmp_path / "topics.tsv").write_text("q1\tfirst\nq2\tsecond\n")
    (tmp_path / "people.csv").write_text("username,name,topics\nada,Ada,q1\nbert,Bert B.,q2\n")
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "run.txt").write_text("q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\nq2 Q0 d1 1 1.0 x\n")
    (tmp_path / "a" / "b" / "ir-metadata.yml").write_text("actor:\n  team: Team B\n")
    names = ['topics = "topics.tsv"', 'documents = "docs.jsonl"', 'people = "people.csv"', 'runs = ["a"]']
    names.append('labels = {"Good (1)" = "0"}')
    printed = run("campaign", "new", lab(tmp_path, *names, "freeze = true"))
    campaign = Campaign.objects.get()
    assert campaign.runs.get().team == "Team B"
    assert campaign.labels == {"Good (1)": "0"}
    assert campaign.frozen_pool().missing == []
    assert [row[:1] + row[4:5] for row in printed.rows] == [["ada", "q1"], ["bert", "q2"]]
    assert "ada had an account: invited" in printed.err
    assert set(campaign.members.values_list("user__username", "role")) == {("olga", "organizer"), ("bert", "assessor")}
    assert Assignment.objects.get().assessor.username == "bert"


def test_topics_and_documents_come_from_ir_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register_datasets(tmp_path, monkeypatch)
    (tmp_path / "r.txt").write_text("q1 Q0 d1 1 2.0 x\n")
    names = ['topics = "irds:tea/small"', 'documents = "irds:tea/small"', 'runs = "r.txt"', 'team = "T"']
    run("campaign", "new", lab(tmp_path, *names, "freeze = true"))
    campaign = Campaign.objects.get()
    fields = {"narrative": "<p>Not the &lt;plant&gt;.</p>"}
    assert list(campaign.topics.values_list("topic_id", "title", "fields")) == [("q1", "green tea", fields)]
    [post] = campaign.collection.posts.values_list("post_id", "title", "body", "url")
    assert post == ("d1", "Tea", "<p>Brew it.</p>", "https://example.org/")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("topic = 3", "campaign.topic: no such key; the keys are name, edition"),
        ("topics = 3", "campaign.topics: a text or a list of texts is needed, found 3"),
        ('topics = "none.xml"', "campaign.topics: there is no none.xml; paths begin at the folder of lab.toml"),
        ('documents = {documents = "x.jsonl", key = "k"}', "x.jsonl"),
        ('documents = {posts = "x"}', "campaign.documents: posts are not what is judged for task = 'documents'"),
        ("freeze = true", "campaign.freeze: a pool is made from runs"),
        ('labels = {"good" = "9"}', "labels: a table of labels is needed, each with one of"),
        ('topics = "irds:none"', "irds:none: ir_datasets has no dataset of this id"),
        ('people = "bad.csv"', "bad.csv:2: 'a b' is not a valid user name"),
        ('people = "topics.csv"', "campaign.people: topics can be given only in a frozen pool"),
    ],
)
def test_a_bad_file_is_refused_with_its_key_and_nothing_stored(line: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("username\na b\n")
    (tmp_path / "topics.csv").write_text("username,topics\nada,q9\n")
    assert reason in refused("campaign", "new", lab(tmp_path, line))
    assert (Campaign.objects.count(), User.objects.count()) == (0, 1)


def test_a_step_that_fails_takes_back_all_before(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"doc_id": "d1", "text": "One."}\n')
    (tmp_path / "topics.tsv").write_text("q1\tfirst\n")
    (tmp_path / "r.txt").write_text("q1 Q0 d1 1 high x\n")
    names = ['topics = "topics.tsv"', 'documents = "docs.jsonl"', 'runs = "r.txt"', 'team = "T"']
    assert "r.txt:1" in refused("campaign", "new", lab(tmp_path, *names))
    assert [kind.objects.count() for kind in (Campaign, Collection, Member)] == [0, 0, 0]
