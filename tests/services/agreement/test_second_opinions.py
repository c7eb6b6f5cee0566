"""Kappas of assessors, and of the official judgments, with a source."""

from pathlib import Path

import pytest

from assess.models import SecondOpinion
from assess.services.agreement import agreement
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.ir.agreement.raters import kappa_of_scikit_learn
from tests.lab import Lab, judge, make_source, qrels_of

pytestmark = pytest.mark.django_db


def test_everybody_is_compared_on_what_the_source_judged(lab: Lab, tmp_path: Path) -> None:
    source = make_source(lab.campaign, tmp_path, qrels_of({"11": 3, "12": 0, "21": 0, "99": 1, "77": 2}))
    apart = make_source(lab.campaign, tmp_path, qrels_of({"77": 3}), "nothing in common")
    compared = agreement.compare_sources(lab.pool, [source, apart])
    report = compared[source.pk]
    assert compared[apart.pk] == {"judges": [], "topics": []}
    official, ada, emmy = report["judges"]
    assert [row["who"] for row in report["judges"]] == ["", "ada", "emmy"]
    assert (official["n"], ada["n"], emmy["n"]) == (3, 3, 4)
    expected = pytest.approx(kappa_of_scikit_learn([3, 0, 2], [3, 0, 0]))  # 2 by ada, 0 by the source
    assert official["kappa"]["value"] == ada["kappa"]["value"] == expected
    assert emmy["kappa"]["value"] == pytest.approx(kappa_of_scikit_learn([2, 0, 0, 1], [3, 0, 0, 1]))
    assert emmy["kappa_hm"]["value"] == pytest.approx(1)  # only 11 is relevant to both
    assert official["confusion"] == [[1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    assert official["note"] == "1 with an outcome left out"
    assert [(row["topic"], row["n"]) for row in report["topics"]] == [("A.1", 3)]


def test_visual_ids_are_compared_by_the_highest_grade_of_their_instances(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"110": "1", "120": "3", "210": "0", "220": "0"})  # v1: 3, v2: 0
    source = make_source(campaign, tmp_path, qrels_of({"v1": 3, "v2": 1}, "B.1"), items="unit")
    official = agreement.compare_sources(pool, [source])[source.pk]["judges"][0]
    assert official["n"] == 2
    assert (official["confusion"][3][3], official["confusion"][0][1]) == (1, 1)


def test_a_report_keeps_the_comparison_and_its_own_numbers(lab: Lab, tmp_path: Path) -> None:
    source = make_source(lab.campaign, tmp_path, qrels_of({"11": 3, "12": 0}))
    opinions = agreement.compare_sources(lab.pool, [source])
    report = agreement.report(lab.pool, on_progress, opinions=opinions)
    assert SecondOpinion.objects.get().rows == opinions[source.pk]
    for part in ("pairs", "assessors", "topics", "means", "judgments"):
        assert getattr(report, part) == getattr(lab.report, part)


def test_labellers_count_as_one(lab: Lab, tmp_path: Path) -> None:
    rows = "topic,document,grade,assessor\nA.1,11,3,x\nA.1,11,3,y\nA.1,11,0,z\n"
    source = make_source(lab.campaign, tmp_path, rows)
    report = agreement.compare_sources(lab.pool, [source])[source.pk]
    assert report["judges"][0]["confusion"][3][3] == 1
