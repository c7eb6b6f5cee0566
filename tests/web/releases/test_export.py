"""Judgments leave the product: the same from page and command, and other programs compute the same numbers."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.ir.common.rows import Qrel
from assess.ir.formats.judgments import EVENT
from assess.ir.formats.qrels import write_qrels
from assess.ir.scores.definitions import JUDGED
from assess.ir.scores.measures import MEASURES
from assess.models import AgreementReport, Assignment, Campaign, Judgment, JudgmentEvent, Score
from assess.services.releases import export, qrels
from assess.services.rounds import adjudication
from assess.services.scores import evaluation
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.desk import judge_all
from tests.lab import Lab, client_of, judge
from tests.management.terminal import run

pytestmark = pytest.mark.django_db

RUNS = {"alpha": "A.1\t11\t1\t9\talpha\nA.1\t12\t2\t8\talpha\nA.1\t21\t3\t7\talpha\n"}


def address(campaign: Campaign, kind: str = "judgments", file_format: str = "csv") -> str:
    return reverse("export_file", args=[campaign.slug, kind, file_format])


def page(lab: Lab, kind: str = "judgments", file_format: str = "csv", **query: str) -> str:
    answer: Any = client_of(lab.cast.olga).get(address(lab.campaign, kind, file_format), query)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def rows_in(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def printed(*arguments: str) -> str:
    output = io.StringIO()
    call_command("export", *arguments, stdout=output)
    return output.getvalue()


@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
def test_page_and_command_export_the_same(file_format: str, lab: Lab) -> None:
    Judgment.objects.filter(instance__doc_id="11").update(comment="=SUM(1)\ttab\nline", passage="=x")
    text = page(lab, file_format=file_format)
    assert printed(lab.campaign.slug, "--format", file_format) == text
    read = rows_in(text) if file_format == "csv" else list(map(json.loads, text.splitlines()))
    assert len(read) == Judgment.objects.count() == 8
    assert {row["round"] for row in read} == {"main", "dual"}
    assert all(row["guide"] for row in read)
    assert {row["document"] for row in read if row["passage"].endswith("=x")} == {"11"}
    rows = [json.loads(line) for line in page(lab, "history", "jsonl").splitlines()]
    assert len(rows) == JudgmentEvent.objects.count() == 8
    assert list(rows[0]) == list(EVENT)
    assert printed(lab.campaign.slug, "--history", "--format", file_format) == page(lab, "history", file_format)
    assert page(lab, "triples").splitlines() == ["topic,item,target", "A.1,11,1.0", "A.1,12,0.0", "A.1,21,1.0"]
    with pytest.raises(CommandError, match="there is no nothing; there are: small-lab-1"):
        call_command("export", "nothing")


def test_assessors_have_stable_pseudonyms_unless_names_are_asked_for(lab: Lab) -> None:
    text = page(lab)
    assert "ada" not in text
    assert text == page(lab)
    names = {export.pseudonym(lab.campaign, user.pk) for user in (lab.cast.ada, lab.cast.emmy)}
    assert {row["assessor"] for row in rows_in(text)} == names
    assert {row["assessor"] for row in rows_in(page(lab, names="1"))} == {"ada", "emmy"}
    assert "ada" not in page(lab, "history", "jsonl")


@pytest.fixture
def settled(lab: Lab) -> None:
    """kurt has settled on what ada and emmy disagree; another topic is additional."""
    adjudication.adjudicate(lab.pool, lab.cast.kurt, lab.cast.olga)
    judge_all(Assignment.objects.get(assessor=lab.cast.kurt), "1", "because")
    judge_all(make_assignment(lab.pool, lab.cast.ada, topic="A.2", kind="additional"), "2")


def test_kappas_of_the_export_are_those_of_the_report(lab: Lab, settled: None, tmp_path: Path) -> None:
    (tmp_path / "judgments.csv").write_text(page(lab, file_format="csv", names="1"))
    (pair,) = AgreementReport.objects.get().pairs
    (row,) = json.loads(run("kappa", "--json", "--judgments", tmp_path / "judgments.csv").out)
    assert (row["first"], row["second"], row["n"]) == (pair["first"], pair["second"], pair["n"])
    assert (row["kappa"], row["kappa_hm"]) == pytest.approx((pair["kappa"]["value"], pair["kappa_hm"]["value"]))


def test_scores_by_command_are_those_of_the_page(lab: Lab, settled: None, tmp_path: Path) -> None:
    released = qrels.release(lab.pool, lab.cast.olga, on_progress)
    scored = evaluation.evaluate(released, "qrels", on_progress, measures=[*MEASURES, JUDGED])
    (tmp_path / "qrels.txt").write_text(write_qrels(map(Qrel._make, released.lines_of("post"))))
    (tmp_path / "alpha.tsv").write_text(RUNS["alpha"])
    files = ("--qrels", tmp_path / "qrels.txt", "--run", tmp_path / "alpha.tsv")
    by_command = json.loads(run("score", "--json", "--per-topic", *files).out)
    stored = Score.objects.filter(evaluation=scored, run__name="alpha").values_list("topic_id", "measure", "value")
    assert {(row["topic"], row["measure"]): row["value"] for row in by_command} == {
        (topic, measure): value for topic, measure, value in stored
    }


def test_an_export_takes_one_query_for_all_rows(lab: Lab, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        assert len(list(export.exported_judgments(lab.campaign, names=True))) == 8
    with django_assert_num_queries(1):
        assert len(list(export.exported_events(lab.campaign, names=True))) == 8


def test_triples_of_formulas_are_of_the_best_instance() -> None:
    assignment = make_assignment(make_pool(make_campaign("arqmath3-task2")), make_cast().ada)
    judge(assignment, {"110": "0", "120": "1", "220": "not_matching"})
    assert list(export.exported_triples(assignment.campaign)) == [("B.1", "v1", 0.5)]
