"""The demo's lab of household tips: its files are consistent, and every step of a campaign takes them."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from assess.models import Instance, Judgment
from assess.services import demo
from tests.lab import client_of

KITCHEN = Path(__file__).parent.parent / "fixtures" / "kitchen"


def table(name: str) -> list[dict[str, str]]:
    with (KITCHEN / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (KITCHEN / name).read_text(encoding="utf-8").splitlines()]


def test_runs_and_judgments_are_about_its_tips_and_topics() -> None:
    tips = {row["doc_id"] for row in lines("documents.jsonl")}
    topics = {row["qid"] for row in lines("topics/topics.jsonl")}
    runs = [line.split() for path in (KITCHEN / "runs").iterdir() for line in path.read_text().splitlines()]
    retrieved = {(row[0], row[2]) for row in runs}
    assert {topic for topic, _ in retrieved} == topics
    assert {tip for _, tip in retrieved} == tips
    assert {row[5] for row in runs} == {Path(row["file"]).stem for row in table("runs.tsv")}
    judged = table("judgments.tsv")
    assert {(row["topic"], row["doc"]) for row in judged} < retrieved
    assigned = {(row["assessor"], row["topic"]) for row in table("assignments.tsv")}
    assert assigned - {(row["assessor"], row["topic"]) for row in judged} == {("sofia", "K3")}  # untouched
    assert {row["campaign"] for row in judged} == {demo.KITCHEN}


@pytest.mark.django_db
def test_it_is_judged_in_part_and_reads_like_no_lab_of_mathematics() -> None:
    olga = demo.make_demo_account(demo.ORGANIZER, is_staff=True)
    campaign = demo.load_kitchen(KITCHEN)
    pool = campaign.frozen_pool()
    assert (pool.missing, Instance.objects.filter(entry__pool=pool).count()) == ([], 25)
    assert Judgment.objects.filter(assignment__topic__campaign=campaign).count() == 21
    [pair] = pool.agreement_reports.get().pairs
    assert (pair["n"], pair["agreement"]) == (8, 0.75)  # two of eight differ by one grade
    assert pool.qrels.get().counts["document"]["lines"] == 12  # of K1 and K2, without one that emmy does not know
    for name in ("campaign", "topics", "campaign_edit", "statistics"):
        page = client_of(olga).get(reverse(name, args=[campaign.slug])).content.decode()
        main = page[page.index("<main") :]
        assert [word for word in ("formula", "ARQMath", "H+M") if word in main] == [], name
