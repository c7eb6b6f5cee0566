"""The report on reliability, on the lab of `tests.lab` and one with a pool made from runs."""

from pathlib import Path

import polars as pl
import pytest

from assess.models import Evaluation, ReliabilityReport
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.rounds import adjudication
from assess.services.runs import updates
from assess.services.scores import evaluation, reliability
from tests.cast import make_assignment, make_cast, on_progress
from tests.lab import Lab, add_run, judge, make_formulas, make_shallow_campaign

pytestmark = pytest.mark.django_db


def report_on(lab: Lab) -> ReliabilityReport:
    return reliability.report_reliability(lab.evaluation, on_progress)


def test_runs_are_ranked_under_each_assessor_by_their_present_names(lab: Lab) -> None:
    lab.campaign.runs.filter(name="beta").update(name="gamma")
    report = report_on(lab)
    (each,) = report.assessors
    assert (each["first"], each["second"], each["judges"]) == ("ada", "emmy", ["ada", "emmy", "official"])
    assert (each["topics"], each["documents"], each["apart"]) == (["A.1"], 3, 2)  # 99 has no grade from ada
    ndcg = each["boards"][0]
    assert [row["run"] for row in ndcg["runs"]] == ["alpha", "gamma", "floor"]
    # emmy: 11 is 2, the others 0; alpha 11 12 21, gamma 12 21 11
    assert [row["values"][1] for row in ndcg["runs"][:2]] == pytest.approx([1.0, 0.5])
    contributed = [(row["run"], row["units"], row["unique"]) for row in report.reusability["runs"]]
    assert contributed == [("alpha", 3, 0), ("gamma", 3, 0), ("floor", 1, 0)]
    assert report.reusability["assumed"]  # the pool of a file is taken to be of the runs with a role


def test_topics_that_the_release_leaves_out_are_named(lab: Lab) -> None:
    judge(make_assignment(lab.pool, lab.cast.ada, topic="A.2"), {"11": "3", "21": "0"})
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2", kind="dual"), {"11": "1", "21": "0"})
    (each,) = report_on(lab).assessors  # the release was made before
    assert (each["topics"], each["not_released"]) == (["A.1", "A.2"], ["A.2"])


def test_settled_grades_have_a_leaderboard_of_their_own_and_second_judgments_are_needed(lab: Lab) -> None:
    adjudication.adjudicate(lab.pool, lab.cast.kurt, lab.cast.olga)
    judge(lab.cast.kurt.assignments.get(), {"21": "1"})
    assert report_on(lab).assessors[0]["judges"] == ["ada", "emmy", "official", "adjudicated"]
    lab.pool.rounds.get(kind="dual").assignments.get().judgments.all().delete()
    assert report_on(lab).assessors == []
    Evaluation.objects.update(means=[])
    lab.evaluation.refresh_from_db()
    with pytest.raises(Refused, match="no runs"):
        report_on(lab)


def pooled_lab(folder: Path) -> Evaluation:
    """The runs pooled to depth 2 (beta and late less deep or not at all): alpha 11 12, beta 12, floor 12."""
    campaign = make_shallow_campaign(folder)
    cast = make_cast(campaign)
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    add_run(campaign, folder, "A.1\t21\t1\t9\tlate\nA.1\t11\t2\t8\tlate\n", pool_role="none")
    judge(make_assignment(pool, cast.ada), {"11": "3", "12": "2"})
    release = qrels.release(pool, cast.olga, on_progress)
    return evaluation.evaluate(release, "qrels", on_progress)


def test_without_a_team_what_only_it_brought_into_the_pool_is_gone(tmp_path: Path) -> None:
    report = reliability.report_reliability(pooled_lab(tmp_path), on_progress)
    assert not report.reusability["assumed"]
    contributed = {row["run"]: row for row in report.reusability["runs"]}
    assert [contributed["alpha"][name] for name in ("units", "relevant", "unique", "unique_relevant")] == [2, 2, 1, 1]
    assert (contributed["late"]["pooled"], contributed["late"]["share"]) == (False, 0.5)  # 21
    left_out = {
        (team["team"], row["run"]): row
        for team in report.reusability["left_out"]
        for row in team["changes"]
        if row["measure"] == "nDCG'"
    }
    assert left_out.keys() == {("Alpha", "alpha"), ("Beta", "beta"), ("Organizers", "floor")}
    alpha = left_out["Alpha", "alpha"]  # without 11 only 12 is left, which all but late have
    assert (alpha["before"], alpha["after"]) == (pytest.approx(1.0), pytest.approx(1.0))
    assert (alpha["place_before"], alpha["place_after"]) == (1, 1)
    taken_out = [(row["team"], row["lines"], row["relevant"]) for row in report.reusability["left_out"]]
    assert taken_out == [("Alpha", 1, 1), ("Beta", 0, 0), ("Organizers", 0, 0)]


def test_formulas_have_the_units_of_the_release(tmp_path: Path) -> None:
    formulas = make_formulas(tmp_path)
    cast = make_cast(formulas)
    pool = freezing.freeze(pools.build(formulas, on_progress), on_progress)
    for person, kind, grade in ((cast.ada, "main", "3"), (cast.emmy, "dual", "1")):
        judge(make_assignment(pool, person, kind=kind), {"310": grade, "110": "0"})
    release = qrels.release(pool, cast.olga, on_progress)
    looks = pl.DataFrame({"formula_id": ["110", "310", "220"], "visual_id": ["same"] * 3})
    about = {"counts": {"formulas": 3}, "created_by": cast.olga}
    version = visual_ids.create_version(formulas.collection, "computed", {"map": looks}, **about)
    updates.apply_visual_ids(version, on_progress)
    report = reliability.report_reliability(evaluation.evaluate(release, "run", on_progress), on_progress)
    assert report.assessors[0]["documents"] == 2
    assert [report.reusability["runs"][0][name] for name in ("units", "share")] == [2, pytest.approx(1 / 3)]
